-- Why the controller cannot prepare the application's charm, a JSON status; null while it can.
ALTER TABLE application ADD COLUMN trouble TEXT;
-- Such an error stood in the place of what the leader said; a leader cannot say it.
DELETE FROM status WHERE kind = 'application' AND status = 'error';

-- Who set it: superusers may let the controller connect to any host.
ALTER TABLE model_config ADD COLUMN by_superuser BIGINT NOT NULL DEFAULT 0;
