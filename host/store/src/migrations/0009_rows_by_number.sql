-- An application's runs are found among those of its model; no hook has to pay for an index of them.
DROP INDEX hook_run_application;

-- SQLite only
-- There a BIGINT key is an index beside the table and an INTEGER key the order of the table itself:
-- one tree less to write for each row of what is written most.
ALTER TABLE change_log RENAME TO change_log_before;
CREATE TABLE change_log (
    id INTEGER NOT NULL PRIMARY KEY,
    model_uuid TEXT NOT NULL,
    namespace TEXT NOT NULL,
    key TEXT NOT NULL,
    time BIGINT NOT NULL
);
INSERT INTO change_log SELECT id, model_uuid, namespace, key, time FROM change_log_before ORDER BY id;
DROP TABLE change_log_before;

ALTER TABLE log RENAME TO log_before;
CREATE TABLE log (
    id INTEGER NOT NULL PRIMARY KEY,
    model_uuid TEXT NOT NULL,
    time BIGINT NOT NULL,
    entity TEXT NOT NULL,
    level BIGINT NOT NULL,
    module TEXT NOT NULL,
    message TEXT NOT NULL
);
INSERT INTO log SELECT id, model_uuid, time, entity, level, module, message FROM log_before ORDER BY id;
DROP TABLE log_before;
CREATE INDEX log_model ON log (model_uuid, id);

ALTER TABLE status_history RENAME TO status_history_before;
CREATE TABLE status_history (
    id INTEGER NOT NULL PRIMARY KEY,
    model_uuid TEXT NOT NULL,
    kind TEXT NOT NULL,
    entity TEXT NOT NULL,
    status TEXT NOT NULL,
    message TEXT NOT NULL,
    time BIGINT NOT NULL,
    size BIGINT NOT NULL -- estimated bytes of the row
);
INSERT INTO status_history SELECT id, model_uuid, kind, entity, status, message, time, size
    FROM status_history_before ORDER BY id;
DROP TABLE status_history_before;
CREATE INDEX status_history_entity ON status_history (model_uuid, kind, entity, id);
CREATE INDEX status_history_time ON status_history (model_uuid, time, id);

ALTER TABLE hook_run RENAME TO hook_run_before;
CREATE TABLE hook_run (
    id INTEGER NOT NULL PRIMARY KEY,
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
    effects TEXT NOT NULL, -- JSON list
    waited BIGINT NOT NULL DEFAULT 0
);
INSERT INTO hook_run SELECT id, model_uuid, unit, application, hook, charm, started_at, duration,
    result, code, message, effects, waited FROM hook_run_before ORDER BY id;
DROP TABLE hook_run_before;
CREATE INDEX hook_run_model ON hook_run (model_uuid, id);
CREATE INDEX hook_run_unit ON hook_run (model_uuid, unit, id);
