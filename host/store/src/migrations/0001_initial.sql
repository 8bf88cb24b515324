-- Portable between SQLite and PostgreSQL: TEXT, BIGINT and BYTEA only, times in microseconds
-- since the epoch (UTC), truth values 0 and 1, documents as JSON text. Ids come from `sequence`
-- rows that the single writer raises in the same transaction, so their order is commit order.

CREATE TABLE sequence (
    model_uuid TEXT NOT NULL, -- '' for those of the whole controller
    name TEXT NOT NULL,
    value BIGINT NOT NULL,
    PRIMARY KEY (model_uuid, name)
);
INSERT INTO sequence (model_uuid, name, value) VALUES ('', 'row', 0);

CREATE TABLE controller_value (
    key TEXT NOT NULL PRIMARY KEY,
    value TEXT NOT NULL
);

CREATE TABLE model (
    uuid TEXT NOT NULL PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    owner TEXT NOT NULL,
    life TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    destroy_force BIGINT NOT NULL,
    destroy_timeout_ms BIGINT,
    destroy_started_at BIGINT
);

CREATE TABLE model_config (
    model_uuid TEXT NOT NULL,
    key TEXT NOT NULL,
    value TEXT NOT NULL, -- JSON scalar
    PRIMARY KEY (model_uuid, key)
);

CREATE TABLE charm (
    model_uuid TEXT NOT NULL,
    url TEXT NOT NULL,
    name TEXT NOT NULL,
    revision BIGINT NOT NULL,
    sha256 TEXT NOT NULL,
    info TEXT NOT NULL, -- JSON CharmInfo
    created_at BIGINT NOT NULL,
    PRIMARY KEY (model_uuid, url)
);
CREATE UNIQUE INDEX charm_revision ON charm (model_uuid, name, revision);
CREATE INDEX charm_digest ON charm (sha256);

CREATE TABLE compiled_charm (
    charm_sha256 TEXT NOT NULL,
    engine_hash TEXT NOT NULL,
    digest TEXT NOT NULL,
    PRIMARY KEY (charm_sha256, engine_hash)
);
CREATE INDEX compiled_charm_digest ON compiled_charm (digest);

CREATE TABLE blob (
    digest TEXT NOT NULL PRIMARY KEY,
    size BIGINT NOT NULL,
    created_at BIGINT NOT NULL
);

CREATE TABLE blob_chunk (
    digest TEXT NOT NULL,
    position BIGINT NOT NULL,
    data BYTEA NOT NULL,
    PRIMARY KEY (digest, position)
);

CREATE TABLE application (
    model_uuid TEXT NOT NULL,
    name TEXT NOT NULL,
    charm_url TEXT NOT NULL,
    charm_modified_version BIGINT NOT NULL,
    force_charm BIGINT NOT NULL,
    life TEXT NOT NULL,
    exposed BIGINT NOT NULL,
    settings TEXT NOT NULL, -- JSON, without defaults
    config_hash TEXT NOT NULL, -- of the effective values
    workload_version TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (model_uuid, name)
);

CREATE TABLE unit (
    model_uuid TEXT NOT NULL,
    name TEXT NOT NULL,
    application TEXT NOT NULL,
    number BIGINT NOT NULL,
    life TEXT NOT NULL,
    machine_id TEXT,
    principal TEXT,
    resolved TEXT NOT NULL,
    charm_url TEXT, -- the charm in place
    workload_version TEXT NOT NULL,
    opened_ports TEXT NOT NULL, -- JSON list
    forced BIGINT NOT NULL, -- removal may be forced
    created_at BIGINT NOT NULL,
    PRIMARY KEY (model_uuid, name)
);
CREATE INDEX unit_application ON unit (model_uuid, application, number);
CREATE INDEX unit_machine ON unit (model_uuid, machine_id);

CREATE TABLE unit_state (
    model_uuid TEXT NOT NULL,
    unit TEXT NOT NULL,
    operation TEXT NOT NULL, -- JSON OperationState
    PRIMARY KEY (model_uuid, unit)
);

CREATE TABLE charm_state (
    model_uuid TEXT NOT NULL,
    unit TEXT NOT NULL,
    key TEXT NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (model_uuid, unit, key)
);

CREATE TABLE unit_assignment (
    model_uuid TEXT NOT NULL,
    unit TEXT NOT NULL,
    PRIMARY KEY (model_uuid, unit)
);

CREATE TABLE machine (
    model_uuid TEXT NOT NULL,
    id TEXT NOT NULL,
    life TEXT NOT NULL,
    instance_id TEXT,
    hardware TEXT NOT NULL,
    addresses TEXT NOT NULL, -- JSON list
    for_unit BIGINT NOT NULL, -- made for a unit, goes with its last one
    created_at BIGINT NOT NULL,
    PRIMARY KEY (model_uuid, id)
);

CREATE TABLE machine_removal (
    model_uuid TEXT NOT NULL,
    machine_id TEXT NOT NULL,
    PRIMARY KEY (model_uuid, machine_id)
);

CREATE TABLE status (
    model_uuid TEXT NOT NULL,
    kind TEXT NOT NULL, -- workload, juju-unit, application, machine, juju-machine, model
    entity TEXT NOT NULL,
    status TEXT NOT NULL,
    message TEXT NOT NULL,
    data TEXT NOT NULL, -- JSON object
    since BIGINT NOT NULL,
    PRIMARY KEY (model_uuid, kind, entity)
);

CREATE TABLE status_history (
    id BIGINT NOT NULL PRIMARY KEY,
    model_uuid TEXT NOT NULL,
    kind TEXT NOT NULL,
    entity TEXT NOT NULL,
    status TEXT NOT NULL,
    message TEXT NOT NULL,
    time BIGINT NOT NULL,
    size BIGINT NOT NULL -- estimated bytes of the row
);
CREATE INDEX status_history_entity ON status_history (model_uuid, kind, entity, id);
CREATE INDEX status_history_time ON status_history (model_uuid, time, id);

CREATE TABLE cleanup (
    id BIGINT NOT NULL PRIMARY KEY,
    model_uuid TEXT NOT NULL,
    kind TEXT NOT NULL,
    subject TEXT NOT NULL,
    args TEXT NOT NULL, -- JSON object
    due_at BIGINT NOT NULL,
    attempts BIGINT NOT NULL,
    last_error TEXT NOT NULL,
    UNIQUE (model_uuid, kind, subject)
);

CREATE TABLE lease (
    namespace TEXT NOT NULL,
    model_uuid TEXT NOT NULL,
    name TEXT NOT NULL,
    holder TEXT NOT NULL,
    started_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    PRIMARY KEY (namespace, model_uuid, name)
);

CREATE TABLE lease_pin (
    namespace TEXT NOT NULL,
    model_uuid TEXT NOT NULL,
    name TEXT NOT NULL,
    entity TEXT NOT NULL,
    PRIMARY KEY (namespace, model_uuid, name, entity)
);

CREATE TABLE log (
    id BIGINT NOT NULL PRIMARY KEY,
    model_uuid TEXT NOT NULL,
    time BIGINT NOT NULL,
    entity TEXT NOT NULL,
    level BIGINT NOT NULL,
    module TEXT NOT NULL,
    message TEXT NOT NULL
);
CREATE INDEX log_model ON log (model_uuid, id);

CREATE TABLE change_log (
    id BIGINT NOT NULL PRIMARY KEY,
    model_uuid TEXT NOT NULL,
    namespace TEXT NOT NULL,
    key TEXT NOT NULL,
    time BIGINT NOT NULL
);

CREATE TABLE change_cursor (
    reader TEXT NOT NULL PRIMARY KEY,
    position BIGINT NOT NULL,
    seen_at BIGINT NOT NULL
);

CREATE TABLE account (
    name TEXT NOT NULL PRIMARY KEY,
    password_hash TEXT NOT NULL, -- PHC string
    created_at BIGINT NOT NULL
);

CREATE TABLE token (
    digest TEXT NOT NULL PRIMARY KEY, -- BLAKE3 of the token
    account TEXT NOT NULL,
    expires_at BIGINT NOT NULL
);
CREATE INDEX token_account ON token (account);

CREATE TABLE agent_credential (
    tag TEXT NOT NULL PRIMARY KEY,
    model_uuid TEXT NOT NULL,
    digest TEXT NOT NULL -- BLAKE3 of the password
);
