-- How often the state was written, which the next write names.
ALTER TABLE unit_state ADD COLUMN seq BIGINT NOT NULL DEFAULT 0;
