-- The processes of one controller. Node 0 is the one that was bootstrapped.
CREATE TABLE controller_node (
    node BIGINT NOT NULL PRIMARY KEY,
    address TEXT NOT NULL, -- host:port, '' until it first served
    seen_at BIGINT NOT NULL -- by the clock of leases; where there is one node only, when it announced itself
);

-- Which node a model's agent is connected to, while it is.
CREATE TABLE agent_connection (
    node BIGINT NOT NULL,
    model_uuid TEXT NOT NULL,
    PRIMARY KEY (node, model_uuid)
);
