-- Requests that services answered, by the minute.
CREATE TABLE traffic (
    model_uuid TEXT NOT NULL,
    application TEXT NOT NULL,
    unit TEXT NOT NULL,
    service TEXT NOT NULL, -- CONTAINER/SERVICE
    minute BIGINT NOT NULL, -- since the epoch
    requests BIGINT NOT NULL,
    client_errors BIGINT NOT NULL, -- answered with 4xx
    server_errors BIGINT NOT NULL, -- answered with 5xx, or cut off
    milliseconds BIGINT NOT NULL, -- that answers took, together
    buckets TEXT NOT NULL, -- JSON: how many answers took how long
    PRIMARY KEY (model_uuid, unit, service, minute)
);
CREATE INDEX traffic_by_application ON traffic (model_uuid, application, minute);

-- What charms measured of their units.
CREATE TABLE metric (
    model_uuid TEXT NOT NULL,
    unit TEXT NOT NULL,
    name TEXT NOT NULL,
    labels TEXT NOT NULL, -- JSON, by name
    at BIGINT NOT NULL, -- seconds since the epoch
    value DOUBLE PRECISION NOT NULL,
    PRIMARY KEY (model_uuid, unit, name, labels, at)
);
