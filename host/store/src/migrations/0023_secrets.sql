-- Secrets. Values are nowhere in here but sealed: under a key of the model, which is sealed under one that is
-- in a file of the controller.
CREATE TABLE secret (
    model_uuid TEXT NOT NULL,
    id TEXT NOT NULL,
    owner_kind TEXT NOT NULL, -- model, application, unit
    owner TEXT NOT NULL, -- the application or the unit; empty for the model
    label TEXT NOT NULL, -- unique for an owner unless it is empty
    description TEXT NOT NULL,
    rotate TEXT NOT NULL,
    next_rotate BIGINT,
    auto_prune BIGINT NOT NULL DEFAULT 0,
    latest_revision BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (model_uuid, id)
);
CREATE INDEX secret_of_owner ON secret (model_uuid, owner_kind, owner, label);

CREATE TABLE secret_revision (
    model_uuid TEXT NOT NULL,
    secret TEXT NOT NULL,
    revision BIGINT NOT NULL, -- from 1
    backend TEXT NOT NULL,
    content_id TEXT NOT NULL, -- by which the back end knows it; what is sealed is bound to it
    sealed TEXT NOT NULL DEFAULT '', -- base64, of the internal back end
    checksum TEXT NOT NULL, -- of the content, under the model's key
    expires BIGINT,
    expired_told_at BIGINT, -- when secret-expired ran last
    obsolete_told BIGINT NOT NULL DEFAULT 0, -- 1 once secret-remove ran
    created_at BIGINT NOT NULL,
    PRIMARY KEY (model_uuid, secret, revision)
);
CREATE INDEX secret_revision_in ON secret_revision (backend, model_uuid);

-- Which revision each unit is on that reads a secret.
CREATE TABLE secret_reader (
    model_uuid TEXT NOT NULL,
    secret TEXT NOT NULL,
    unit TEXT NOT NULL,
    label TEXT NOT NULL,
    revision BIGINT NOT NULL,
    told_revision BIGINT NOT NULL, -- the newest of which secret-changed ran, or that was read
    PRIMARY KEY (model_uuid, secret, unit)
);
CREATE INDEX secret_of_reader ON secret_reader (model_uuid, unit);

CREATE TABLE secret_grant (
    model_uuid TEXT NOT NULL,
    secret TEXT NOT NULL,
    grantee TEXT NOT NULL, -- a unit, or an application
    relation BIGINT NOT NULL, -- -1 for what a person granted
    PRIMARY KEY (model_uuid, secret, grantee, relation)
);
CREATE INDEX secret_granted ON secret_grant (model_uuid, grantee);
CREATE INDEX secret_grant_relation ON secret_grant (model_uuid, relation);

-- The key of each model, sealed under the controller's.
CREATE TABLE secret_key (
    model_uuid TEXT PRIMARY KEY,
    sealed_under TEXT NOT NULL, -- id of the controller's key
    sealed TEXT NOT NULL -- base64
);

-- The controller's own keys, each sealed under the one before, while a process has not taken it over.
CREATE TABLE secret_key_succession (
    key_id TEXT PRIMARY KEY,
    sealed_under TEXT NOT NULL,
    sealed TEXT NOT NULL,
    created_at BIGINT NOT NULL
);

CREATE TABLE secret_backend (
    name TEXT PRIMARY KEY,
    kind TEXT NOT NULL,
    config TEXT NOT NULL, -- JSON, without what is secret in it
    sealed_config TEXT NOT NULL, -- what is, sealed under the controller's key
    sealed_under TEXT NOT NULL,
    token_rotate_interval BIGINT, -- seconds
    next_token_rotate BIGINT,
    message TEXT NOT NULL DEFAULT '', -- why it cannot be used; empty while it can
    created_at BIGINT NOT NULL
);

-- What is to be removed from back ends outside: before it is written there, until a commit names it, and
-- after nothing names it any more.
CREATE TABLE secret_leftover (
    backend TEXT NOT NULL,
    content_id TEXT NOT NULL,
    model_uuid TEXT NOT NULL,
    due BIGINT NOT NULL,
    PRIMARY KEY (backend, content_id)
);
