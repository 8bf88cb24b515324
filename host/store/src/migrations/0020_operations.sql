-- What people asked units to run. Ids of operations and tasks come from one sequence of the model.
CREATE TABLE operation (
    model_uuid TEXT NOT NULL,
    id BIGINT NOT NULL,
    summary TEXT NOT NULL,
    requested_by TEXT NOT NULL,
    enqueued_at BIGINT NOT NULL,
    PRIMARY KEY (model_uuid, id)
);

-- A task outlives its unit, so that it can be told what became of it.
CREATE TABLE task (
    model_uuid TEXT NOT NULL,
    id BIGINT NOT NULL,
    operation BIGINT NOT NULL,
    receiver TEXT NOT NULL, -- the unit
    receiver_application TEXT NOT NULL,
    dispatch TEXT NOT NULL, -- as the charm knows it: actions/NAME or commands/NAME
    arguments TEXT NOT NULL, -- JSON, the words after a command's name
    parameters TEXT NOT NULL, -- JSON, what an action is given
    parallel BIGINT NOT NULL,
    execution_group TEXT NOT NULL,
    timeout BIGINT, -- milliseconds
    status TEXT NOT NULL,
    ended BIGINT NOT NULL, -- 1 once nothing becomes of it any more
    message TEXT NOT NULL DEFAULT '',
    results TEXT NOT NULL DEFAULT '{}', -- JSON
    enqueued_at BIGINT NOT NULL,
    started_at BIGINT,
    completed_at BIGINT,
    PRIMARY KEY (model_uuid, id)
);
CREATE INDEX task_of_operation ON task (model_uuid, operation, id);
CREATE INDEX task_due ON task (model_uuid, receiver, ended, id);

-- What tasks told while they ran.
CREATE TABLE task_log (
    model_uuid TEXT NOT NULL,
    task BIGINT NOT NULL,
    line BIGINT NOT NULL,
    time BIGINT NOT NULL,
    message TEXT NOT NULL,
    PRIMARY KEY (model_uuid, task, line)
);
