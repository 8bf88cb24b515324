-- The audit log in words, incidents that nobody wants to hear of, and what settings and charms were
-- before they were changed.

ALTER TABLE audit ADD COLUMN kind TEXT NOT NULL DEFAULT 'change'; -- change, sign-in, call
ALTER TABLE audit ADD COLUMN verb TEXT NOT NULL DEFAULT '';
ALTER TABLE audit ADD COLUMN object TEXT NOT NULL DEFAULT '';
ALTER TABLE audit ADD COLUMN about TEXT NOT NULL DEFAULT ''; -- names with bars around them
UPDATE audit SET kind = 'sign-in' WHERE what IN (
    'POST /v1/login', 'POST /v1/session', 'DELETE /v1/session', 'POST /v1/register');
UPDATE audit SET kind = 'call' WHERE who LIKE 'agent-%';

-- What this one run was about, beside the name of its hook.
ALTER TABLE hook_run ADD COLUMN about TEXT NOT NULL DEFAULT '';

CREATE TABLE silence (
    model_uuid TEXT NOT NULL,
    incident TEXT NOT NULL,
    silence TEXT NOT NULL, -- JSON
    PRIMARY KEY (model_uuid, incident)
);

CREATE TABLE difference (
    id BIGINT NOT NULL PRIMARY KEY,
    model_uuid TEXT NOT NULL,
    application TEXT NOT NULL, -- '' for the model
    kind TEXT NOT NULL, -- config, revision
    name TEXT NOT NULL,
    was TEXT, -- NULL where nobody had set it
    becomes TEXT, -- NULL where it was reset
    time BIGINT NOT NULL
);
CREATE INDEX difference_model ON difference (model_uuid, id);
CREATE INDEX difference_application ON difference (model_uuid, application, id);
