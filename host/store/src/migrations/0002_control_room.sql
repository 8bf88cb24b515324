-- Accounts with access, named tokens and browser sessions; the audit log; hooks that ran;
-- what makes repeated and conditional requests safe; how far logs were forwarded.

ALTER TABLE account ADD COLUMN display_name TEXT NOT NULL DEFAULT '';
ALTER TABLE account ADD COLUMN access TEXT NOT NULL DEFAULT 'superuser'; -- login, superuser
ALTER TABLE account ADD COLUMN disabled BIGINT NOT NULL DEFAULT 0;
ALTER TABLE account ADD COLUMN created_by TEXT NOT NULL DEFAULT '';
ALTER TABLE account ADD COLUMN last_login BIGINT;

ALTER TABLE token ADD COLUMN id TEXT NOT NULL DEFAULT '';
ALTER TABLE token ADD COLUMN name TEXT NOT NULL DEFAULT '';
ALTER TABLE token ADD COLUMN kind TEXT NOT NULL DEFAULT 'token'; -- token, session
ALTER TABLE token ADD COLUMN csrf TEXT NOT NULL DEFAULT '';
ALTER TABLE token ADD COLUMN created_at BIGINT NOT NULL DEFAULT 0;
ALTER TABLE token ADD COLUMN last_used BIGINT;
CREATE INDEX token_id ON token (id);

CREATE TABLE registration (
    digest TEXT NOT NULL PRIMARY KEY, -- BLAKE3 of the one-time token
    account TEXT NOT NULL,
    expires_at BIGINT NOT NULL
);
CREATE INDEX registration_account ON registration (account);

CREATE TABLE model_access (
    model_uuid TEXT NOT NULL,
    account TEXT NOT NULL,
    access TEXT NOT NULL, -- read, write, admin
    PRIMARY KEY (model_uuid, account)
);
CREATE INDEX model_access_account ON model_access (account);
INSERT INTO model_access (model_uuid, account, access) SELECT uuid, owner, 'admin' FROM model;
UPDATE token SET id = SUBSTR(digest, 1, 16), name = 'cli';

CREATE TABLE audit (
    id BIGINT NOT NULL PRIMARY KEY,
    time BIGINT NOT NULL,
    who TEXT NOT NULL,
    peer TEXT NOT NULL,
    model_uuid TEXT NOT NULL, -- '' for the controller
    what TEXT NOT NULL,
    target TEXT NOT NULL,
    result TEXT NOT NULL,
    arguments TEXT NOT NULL -- JSON
);
CREATE INDEX audit_model ON audit (model_uuid, id);
CREATE INDEX audit_who ON audit (who, id);
CREATE INDEX audit_time ON audit (time);

CREATE TABLE hook_run (
    id BIGINT NOT NULL PRIMARY KEY,
    model_uuid TEXT NOT NULL,
    unit TEXT NOT NULL,
    application TEXT NOT NULL,
    hook TEXT NOT NULL,
    charm TEXT NOT NULL,
    started_at BIGINT NOT NULL,
    duration BIGINT NOT NULL,
    result TEXT NOT NULL,
    code TEXT NOT NULL,
    message TEXT NOT NULL,
    effects TEXT NOT NULL -- JSON list
);
CREATE INDEX hook_run_model ON hook_run (model_uuid, id);
CREATE INDEX hook_run_unit ON hook_run (model_uuid, unit, id);
CREATE INDEX hook_run_application ON hook_run (model_uuid, application, id);

CREATE TABLE idempotency (
    account TEXT NOT NULL,
    key TEXT NOT NULL,
    request TEXT NOT NULL, -- digest of method, path and body
    status BIGINT NOT NULL, -- 0 while the answer is not known
    content_type TEXT NOT NULL,
    etag TEXT NOT NULL,
    body BYTEA NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (account, key)
);
CREATE INDEX idempotency_time ON idempotency (created_at);

-- How often the definition of something changed, for conditional requests. What is not here has
-- version 0.
CREATE TABLE entity_version (
    model_uuid TEXT NOT NULL,
    namespace TEXT NOT NULL,
    key TEXT NOT NULL,
    version BIGINT NOT NULL,
    PRIMARY KEY (model_uuid, namespace, key)
);

CREATE TABLE log_forward (
    model_uuid TEXT NOT NULL,
    sink TEXT NOT NULL,
    position BIGINT NOT NULL,
    PRIMARY KEY (model_uuid, sink)
);
