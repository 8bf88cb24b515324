-- Bundles that were applied to a model, and how far each came. The newest says what the model is compared with.
CREATE TABLE bundle_apply (
    model_uuid TEXT NOT NULL,
    id BIGINT NOT NULL, -- from 1, of the model's sequence `bundle`
    requested_by TEXT NOT NULL, -- the user's name
    node BIGINT NOT NULL, -- the process of the controller that takes its steps
    state TEXT NOT NULL, -- running, completed, failed or interrupted
    name TEXT NOT NULL, -- as the bundle calls itself; may be empty
    changes TEXT NOT NULL, -- the steps, JSON
    taken BIGINT NOT NULL, -- how many of them were taken
    message TEXT NOT NULL, -- why it stopped
    applied TEXT NOT NULL, -- what the model is compared with, JSON
    started_at BIGINT NOT NULL,
    ended_at BIGINT,
    PRIMARY KEY (model_uuid, id)
);
