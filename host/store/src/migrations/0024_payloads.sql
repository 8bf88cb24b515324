-- What charms say that they run by themselves.
CREATE TABLE payload (
    model_uuid TEXT NOT NULL,
    unit TEXT NOT NULL,
    class TEXT NOT NULL,
    id TEXT NOT NULL,
    type TEXT NOT NULL,
    status TEXT NOT NULL, -- starting, running, stopping or stopped
    labels TEXT NOT NULL, -- JSON
    PRIMARY KEY (model_uuid, unit, class, id)
);
