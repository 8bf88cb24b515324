-- Where a token was used from last, or its login came from, and with which program, as that calls itself. Empty
-- where nobody knows.
ALTER TABLE token ADD COLUMN address TEXT NOT NULL DEFAULT '';
ALTER TABLE token ADD COLUMN program TEXT NOT NULL DEFAULT '';
