-- What a model's provider keeps, and what lets it make instances; where agents reach a node.

ALTER TABLE model ADD COLUMN environ_version BIGINT NOT NULL DEFAULT 0; -- of what the provider keeps for it
ALTER TABLE model ADD COLUMN credential_refused TEXT NOT NULL DEFAULT ''; -- why its credential is not valid; '' while it is
ALTER TABLE model ADD COLUMN credential_since BIGINT NOT NULL DEFAULT 0; -- when that was last said
ALTER TABLE controller_node ADD COLUMN agent_address TEXT NOT NULL DEFAULT ''; -- host:port for agents, '' for that of clients
