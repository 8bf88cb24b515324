-- Relations with their scopes and settings, what leaders tell their minions, placements.

CREATE TABLE relation (
    model_uuid TEXT NOT NULL,
    id BIGINT NOT NULL,
    key TEXT NOT NULL, -- 'front:website site:website', or 'registry:members' for peers
    interface TEXT NOT NULL,
    scope TEXT NOT NULL, -- global, container
    life TEXT NOT NULL,
    suspended BIGINT NOT NULL,
    suspended_reason TEXT NOT NULL,
    forced BIGINT NOT NULL, -- removal may be forced
    created_at BIGINT NOT NULL,
    PRIMARY KEY (model_uuid, id)
);
CREATE UNIQUE INDEX relation_key ON relation (model_uuid, key);

-- One row for a peer relation, two for any other. Settings are those of the application.
CREATE TABLE relation_endpoint (
    model_uuid TEXT NOT NULL,
    relation_id BIGINT NOT NULL,
    application TEXT NOT NULL,
    name TEXT NOT NULL,
    role TEXT NOT NULL, -- provider, requirer, peer
    settings TEXT NOT NULL, -- JSON object of texts
    version BIGINT NOT NULL, -- 0 until the leader first wrote
    PRIMARY KEY (model_uuid, relation_id, application, name)
);
CREATE INDEX relation_endpoint_application ON relation_endpoint (model_uuid, application);

-- A unit that entered the scope. The row outlives its leaving, until the relation goes, since
-- a departed hook may still read its settings.
CREATE TABLE relation_unit (
    model_uuid TEXT NOT NULL,
    relation_id BIGINT NOT NULL,
    unit TEXT NOT NULL,
    application TEXT NOT NULL,
    endpoint TEXT NOT NULL,
    container TEXT NOT NULL, -- the principal unit in a container-scoped relation, else ''
    in_scope BIGINT NOT NULL,
    settings TEXT NOT NULL, -- JSON object of texts
    version BIGINT NOT NULL, -- from 1
    PRIMARY KEY (model_uuid, relation_id, unit)
);
CREATE INDEX relation_unit_unit ON relation_unit (model_uuid, unit);

CREATE TABLE leader_settings (
    model_uuid TEXT NOT NULL,
    application TEXT NOT NULL,
    settings TEXT NOT NULL, -- JSON object of texts
    version BIGINT NOT NULL, -- from 1
    PRIMARY KEY (model_uuid, application)
);

CREATE INDEX unit_principal ON unit (model_uuid, principal);
ALTER TABLE unit_assignment ADD COLUMN placement TEXT NOT NULL DEFAULT ''; -- a machine, or '' for a new one
ALTER TABLE application ADD COLUMN subordinate BIGINT NOT NULL DEFAULT 0; -- as its charm says
