-- Values of metrics are JSON numbers, as text: both databases keep them to the last digit.
DROP TABLE metric;
CREATE TABLE metric (
    model_uuid TEXT NOT NULL,
    unit TEXT NOT NULL,
    name TEXT NOT NULL,
    labels TEXT NOT NULL, -- JSON, by name
    at BIGINT NOT NULL, -- seconds since the epoch
    value TEXT NOT NULL,
    PRIMARY KEY (model_uuid, unit, name, labels, at)
);
CREATE INDEX metric_by_time ON metric (model_uuid, unit, at);

-- The newest of each, which lists and `/metrics` show.
CREATE TABLE metric_latest (
    model_uuid TEXT NOT NULL,
    unit TEXT NOT NULL,
    name TEXT NOT NULL,
    labels TEXT NOT NULL,
    at BIGINT NOT NULL,
    stale_at BIGINT NOT NULL, -- a newer one should have come by then
    value TEXT NOT NULL,
    PRIMARY KEY (model_uuid, unit, name, labels)
);
