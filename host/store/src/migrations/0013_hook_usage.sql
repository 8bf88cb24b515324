-- What a hook used; unknown of those before.
ALTER TABLE hook_run ADD COLUMN memory_bytes BIGINT;
ALTER TABLE hook_run ADD COLUMN host_calls BIGINT;
ALTER TABLE hook_run ADD COLUMN output_bytes BIGINT;
ALTER TABLE hook_run ADD COLUMN state_directory_bytes BIGINT;
