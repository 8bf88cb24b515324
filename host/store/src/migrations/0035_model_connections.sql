-- When somebody last used a model, to a minute.
CREATE TABLE model_connection (
    model_uuid TEXT NOT NULL,
    account TEXT NOT NULL,
    connected_at BIGINT NOT NULL,
    PRIMARY KEY (model_uuid, account)
);
CREATE INDEX model_connection_of_account ON model_connection (account);
