-- What units want of their containers, and what is seen in them.
CREATE TABLE container (
    model_uuid TEXT NOT NULL,
    unit TEXT NOT NULL,
    name TEXT NOT NULL,
    committed TEXT NOT NULL, -- JSON Committed
    seen TEXT, -- JSON Seen; none before it is heard of
    PRIMARY KEY (model_uuid, unit, name)
);
