-- What a change comes from, beside what it changed: `audit:807`, `run:812`, `call:Facade.Method`; empty where it was
-- not recorded. An agent that chooses a hook from such a row reports the cause with the run.
ALTER TABLE hook_run ADD COLUMN cause TEXT NOT NULL DEFAULT '';
ALTER TABLE unit ADD COLUMN cause TEXT NOT NULL DEFAULT ''; -- that it is there, or leaves
ALTER TABLE unit ADD COLUMN resolved_cause TEXT NOT NULL DEFAULT '';
ALTER TABLE application ADD COLUMN charm_cause TEXT NOT NULL DEFAULT '';
ALTER TABLE application ADD COLUMN config_cause TEXT NOT NULL DEFAULT '';
ALTER TABLE relation ADD COLUMN cause TEXT NOT NULL DEFAULT ''; -- that it is there, is suspended or ends
ALTER TABLE relation_endpoint ADD COLUMN cause TEXT NOT NULL DEFAULT ''; -- of its settings
ALTER TABLE relation_unit ADD COLUMN cause TEXT NOT NULL DEFAULT ''; -- of its settings, and of its being in scope or not
ALTER TABLE leader_settings ADD COLUMN cause TEXT NOT NULL DEFAULT '';
ALTER TABLE secret_revision ADD COLUMN cause TEXT NOT NULL DEFAULT '';
ALTER TABLE storage_attachment ADD COLUMN cause TEXT NOT NULL DEFAULT ''; -- that it is there, or is to go
ALTER TABLE cleanup ADD COLUMN cause TEXT NOT NULL DEFAULT ''; -- of what is left to do
