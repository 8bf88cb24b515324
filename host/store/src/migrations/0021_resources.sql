-- Files of applications beside their charms. The content is in blob, by its digest.
CREATE TABLE resource (
    model_uuid TEXT NOT NULL,
    application TEXT NOT NULL,
    name TEXT NOT NULL,
    revision BIGINT NOT NULL, -- from 1
    sha256 TEXT NOT NULL,
    size BIGINT NOT NULL,
    uploaded_by TEXT NOT NULL,
    uploaded_at BIGINT NOT NULL,
    PRIMARY KEY (model_uuid, application, name)
);
CREATE INDEX resource_content ON resource (sha256);

-- What was uploaded and is attached to nothing yet.
CREATE TABLE resource_upload (
    model_uuid TEXT NOT NULL,
    id BIGINT NOT NULL,
    sha256 TEXT NOT NULL,
    size BIGINT NOT NULL,
    uploaded_by TEXT NOT NULL,
    uploaded_at BIGINT NOT NULL,
    PRIMARY KEY (model_uuid, id)
);
CREATE INDEX resource_upload_content ON resource_upload (sha256);

-- Which revision each unit was given last.
CREATE TABLE unit_resource (
    model_uuid TEXT NOT NULL,
    unit TEXT NOT NULL,
    name TEXT NOT NULL,
    revision BIGINT NOT NULL,
    PRIMARY KEY (model_uuid, unit, name)
);
