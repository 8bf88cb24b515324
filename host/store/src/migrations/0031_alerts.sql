-- Alerts: what is watched for, what came of it, and who was told.
CREATE TABLE alert_receiver (
    name TEXT PRIMARY KEY,
    kind TEXT NOT NULL, -- webhook, email
    config TEXT NOT NULL, -- JSON, without what is secret in it
    sealed_config TEXT NOT NULL, -- what is, sealed under the controller's key
    sealed_under TEXT NOT NULL,
    created_at BIGINT NOT NULL
);

CREATE TABLE alert_rule (
    name TEXT PRIMARY KEY,
    model_uuid TEXT NOT NULL, -- empty for all models
    kind TEXT NOT NULL, -- unit-error, removal-overdue, hook-p99, disk-full
    threshold BIGINT NOT NULL, -- microseconds, or percent
    receivers TEXT NOT NULL, -- JSON list of names
    silenced_until BIGINT,
    last_message_at BIGINT,
    created_at BIGINT NOT NULL
);

-- They outlive their model: that they resolved is told after it is gone.
CREATE TABLE alert (
    id BIGINT NOT NULL PRIMARY KEY,
    rule TEXT NOT NULL,
    of_model TEXT NOT NULL, -- the UUID; empty for the controller
    model_name TEXT NOT NULL,
    subject TEXT NOT NULL,
    phase TEXT NOT NULL, -- pending, firing, resolved
    since BIGINT NOT NULL,
    quiet_since BIGINT, -- since when the condition is gone
    fired_at BIGINT,
    resolved_at BIGINT,
    detail TEXT NOT NULL,
    told BIGINT NOT NULL DEFAULT 0, -- 1 once a message said that it fires, 2 that it resolved
    acknowledged_by TEXT NOT NULL DEFAULT '',
    acknowledged_at BIGINT
);
CREATE INDEX alert_phase ON alert (phase, rule);

CREATE TABLE alert_delivery (
    id BIGINT NOT NULL PRIMARY KEY,
    rule TEXT NOT NULL,
    receiver TEXT NOT NULL,
    message TEXT NOT NULL, -- JSON Message
    state TEXT NOT NULL, -- waiting, sent, failed
    tried BIGINT NOT NULL DEFAULT 0,
    next_at BIGINT,
    answer TEXT NOT NULL DEFAULT '',
    created_at BIGINT NOT NULL,
    ended_at BIGINT
);
CREATE INDEX alert_delivery_state ON alert_delivery (state, next_at);
