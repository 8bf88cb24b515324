-- A model may have several agents. Until its instance says otherwise a machine is hosted by the one
-- that hosts all; whoever is connected is written anew by each process of the controller.

ALTER TABLE machine ADD COLUMN agent TEXT NOT NULL DEFAULT 'host';

ALTER TABLE agent_credential RENAME TO agent_credential_of_model;
CREATE TABLE agent_credential (
    model_uuid TEXT NOT NULL,
    agent TEXT NOT NULL,
    digest TEXT NOT NULL, -- BLAKE3 of the password
    PRIMARY KEY (model_uuid, agent)
);
INSERT INTO agent_credential (model_uuid, agent, digest)
    SELECT model_uuid, 'host', digest FROM agent_credential_of_model WHERE tag = 'agent-' || model_uuid;
DROP TABLE agent_credential_of_model;

DROP TABLE agent_connection;
-- Which node an agent is connected to, while it is.
CREATE TABLE agent_connection (
    node BIGINT NOT NULL,
    model_uuid TEXT NOT NULL,
    agent TEXT NOT NULL,
    PRIMARY KEY (node, model_uuid, agent)
);
