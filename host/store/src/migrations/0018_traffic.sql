-- What was counted of a service as its agent told it last, so that what is told twice counts once.
CREATE TABLE counted (
    model_uuid TEXT NOT NULL,
    unit TEXT NOT NULL,
    service TEXT NOT NULL, -- CONTAINER/SERVICE
    begun BIGINT NOT NULL, -- another number: the counters began anew
    requests TEXT NOT NULL, -- JSON Requests
    PRIMARY KEY (model_uuid, unit, service)
);

-- All requests of an application, also those to units that are gone.
CREATE TABLE traffic_total (
    model_uuid TEXT NOT NULL,
    application TEXT NOT NULL,
    requests TEXT NOT NULL, -- JSON Requests
    PRIMARY KEY (model_uuid, application)
);
