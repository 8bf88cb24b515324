-- What people decided about the capabilities of applications.
CREATE TABLE capability_decision (
    model_uuid TEXT NOT NULL,
    application TEXT NOT NULL,
    capability TEXT NOT NULL,
    decision TEXT NOT NULL, -- granted or denied
    decided_by TEXT NOT NULL, -- the user's name
    decided_at BIGINT NOT NULL,
    PRIMARY KEY (model_uuid, application, capability)
);
-- What the charms of an application declare and it does not have, JSON: derived from decisions and policies whenever one
-- of them changes. And another revision that waits for a decision, with the request for it, JSON.
ALTER TABLE application ADD COLUMN withheld TEXT NOT NULL DEFAULT '[]';
ALTER TABLE application ADD COLUMN held TEXT;
