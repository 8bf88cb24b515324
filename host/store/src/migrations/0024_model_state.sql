-- Units that an application has at the least; where it has fewer, others are made.
ALTER TABLE application ADD COLUMN min_units BIGINT NOT NULL DEFAULT 0;
