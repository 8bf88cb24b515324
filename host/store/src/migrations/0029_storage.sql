-- Storage: each a directory that a provider makes, and that units are given. Ids are NAME/NUMBER, the number from
-- the model's sequence `storage`.
CREATE TABLE storage (
    model_uuid TEXT NOT NULL,
    id TEXT NOT NULL,
    number BIGINT NOT NULL,
    name TEXT NOT NULL, -- as charms declare it
    kind TEXT NOT NULL, -- filesystem
    shared BIGINT NOT NULL DEFAULT 0, -- 1 where all units of the owning application have it
    owner TEXT NOT NULL DEFAULT '', -- the unit, or the application of a shared one; empty for nobody
    life TEXT NOT NULL,
    keep BIGINT NOT NULL DEFAULT 0, -- 1 where its directory stays when it goes
    pool TEXT NOT NULL,
    provider TEXT NOT NULL, -- rootfs, tmpfs, loop
    attributes TEXT NOT NULL DEFAULT '{}', -- of its pool as it was made, JSON
    size BIGINT NOT NULL, -- MiB
    provider_id TEXT NOT NULL, -- the name of its directory
    imported BIGINT NOT NULL DEFAULT 0, -- 1 where its directory was there before it
    agent TEXT, -- on whose machine the directory is; none until the first unit has a machine
    provisioned BIGINT NOT NULL DEFAULT 0,
    failure TEXT NOT NULL DEFAULT '', -- why its directory could not be made or taken back
    status_since BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (model_uuid, id)
);
CREATE INDEX storage_of_owner ON storage (model_uuid, owner);
CREATE INDEX storage_of_pool ON storage (model_uuid, pool);
CREATE INDEX storage_directory ON storage (model_uuid, provider_id);

CREATE TABLE storage_attachment (
    model_uuid TEXT NOT NULL,
    storage TEXT NOT NULL,
    unit TEXT NOT NULL,
    life TEXT NOT NULL,
    location TEXT NOT NULL, -- where the unit's charm finds it
    read_only BIGINT NOT NULL DEFAULT 0,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (model_uuid, storage, unit)
);
CREATE INDEX storage_of_unit ON storage_attachment (model_uuid, unit);

-- Beside those that every model has.
CREATE TABLE storage_pool (
    model_uuid TEXT NOT NULL,
    name TEXT NOT NULL,
    provider TEXT NOT NULL,
    attributes TEXT NOT NULL, -- JSON
    created_at BIGINT NOT NULL,
    PRIMARY KEY (model_uuid, name)
);

-- What each unit of an application is given.
CREATE TABLE application_storage (
    model_uuid TEXT NOT NULL,
    application TEXT NOT NULL,
    name TEXT NOT NULL,
    pool TEXT NOT NULL,
    size BIGINT NOT NULL, -- MiB
    count BIGINT NOT NULL,
    PRIMARY KEY (model_uuid, application, name)
);

-- Of the machines of agents.
CREATE TABLE block_device (
    model_uuid TEXT NOT NULL,
    agent TEXT NOT NULL,
    name TEXT NOT NULL,
    device TEXT NOT NULL, -- JSON
    PRIMARY KEY (model_uuid, agent, name)
);
