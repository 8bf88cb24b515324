-- What one process of the controller asks another, until that one takes it.
CREATE TABLE node_question (
    digest TEXT NOT NULL PRIMARY KEY, -- of the secret that takes it
    node BIGINT NOT NULL, -- which may take it
    question TEXT NOT NULL,
    asked_at BIGINT NOT NULL -- by the clock of leases
);
CREATE INDEX node_question_asked ON node_question (asked_at);
