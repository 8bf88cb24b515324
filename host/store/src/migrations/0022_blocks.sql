-- What people may not do in a model until somebody allows it again.
CREATE TABLE block (
    model_uuid TEXT NOT NULL,
    kind TEXT NOT NULL, -- destroy-model, remove-object or all
    message TEXT NOT NULL,
    PRIMARY KEY (model_uuid, kind)
);

-- What people note of a model and of what is in it.
CREATE TABLE annotation (
    model_uuid TEXT NOT NULL,
    entity TEXT NOT NULL, -- a tag, as unit-site-0
    key TEXT NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (model_uuid, entity, key)
);
