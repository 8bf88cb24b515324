-- Units that an application has at the least; where it has fewer, others are made.
ALTER TABLE application ADD COLUMN min_units BIGINT NOT NULL DEFAULT 0;
-- Whether an operator trusts it with the cloud's credential. It is part of config_hash, so that units hear of it.
ALTER TABLE application ADD COLUMN trusted BIGINT NOT NULL DEFAULT 0;
-- Constraints, as text: what was said of each, and of a machine what it was made with.
ALTER TABLE application ADD COLUMN constraints TEXT NOT NULL DEFAULT '';
ALTER TABLE model ADD COLUMN constraints TEXT NOT NULL DEFAULT '';
ALTER TABLE machine ADD COLUMN constraints TEXT NOT NULL DEFAULT '';
-- Options for models of a cloud that say nothing else themselves; region '' is all of the cloud.
CREATE TABLE model_default (
    cloud TEXT NOT NULL,
    region TEXT NOT NULL,
    key TEXT NOT NULL,
    value TEXT NOT NULL, -- JSON scalar
    PRIMARY KEY (cloud, region, key)
);
-- The meter status that a person gave a unit, JSON Meter; empty for none. `meter` is what it is told: the worse.
ALTER TABLE unit ADD COLUMN meter_set TEXT NOT NULL DEFAULT '';
