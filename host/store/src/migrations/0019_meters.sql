-- What a unit is told of its quotas, JSON Meter; empty while that is nothing.
ALTER TABLE unit ADD COLUMN meter TEXT NOT NULL DEFAULT '';

-- What units used in the last two minutes, of models that have quotas.
CREATE TABLE unit_use (
    model_uuid TEXT NOT NULL,
    unit TEXT NOT NULL,
    minute BIGINT NOT NULL, -- since the epoch
    requests BIGINT NOT NULL,
    cpu BIGINT NOT NULL, -- microseconds
    PRIMARY KEY (model_uuid, unit, minute)
);
