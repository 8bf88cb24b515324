-- Where models are: clouds with their regions, and what lets their providers in. What was there
-- before is on this very machine, each model with a credential of its own.

CREATE TABLE cloud (
    name TEXT NOT NULL PRIMARY KEY,
    type TEXT NOT NULL, -- whose provider gives its machines
    model_type TEXT NOT NULL -- iaas or caas
);
CREATE TABLE cloud_region (
    cloud TEXT NOT NULL,
    name TEXT NOT NULL,
    position BIGINT NOT NULL, -- the first is for models that name none
    PRIMARY KEY (cloud, name)
);
CREATE TABLE cloud_credential (
    cloud TEXT NOT NULL,
    owner TEXT NOT NULL,
    name TEXT NOT NULL,
    auth_type TEXT NOT NULL,
    refused TEXT NOT NULL DEFAULT '', -- why it is not valid; '' while it is
    since BIGINT NOT NULL DEFAULT 0, -- when that was last said
    PRIMARY KEY (cloud, owner, name)
);

INSERT INTO cloud (name, type, model_type) VALUES ('local', 'local', 'iaas');
INSERT INTO cloud_region (cloud, name, position) VALUES ('local', 'default', 0);
INSERT INTO cloud_credential (cloud, owner, name, auth_type, refused, since)
    SELECT 'local', owner, name, 'empty', credential_refused, credential_since FROM model;

ALTER TABLE model ADD COLUMN cloud TEXT NOT NULL DEFAULT 'local';
ALTER TABLE model ADD COLUMN region TEXT NOT NULL DEFAULT 'default';
ALTER TABLE model ADD COLUMN credential TEXT NOT NULL DEFAULT ''; -- of the model's owner, in its cloud
UPDATE model SET credential = name;
CREATE INDEX model_credential ON model (cloud, owner, credential);
ALTER TABLE model DROP COLUMN credential_refused;
ALTER TABLE model DROP COLUMN credential_since;
