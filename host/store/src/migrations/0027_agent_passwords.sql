-- An agent makes a password of its own at its first use of the one it was given. The old one counts
-- until the new one has been used.

ALTER TABLE agent_credential ADD COLUMN next_digest TEXT; -- BLAKE3 of the password that follows
