ALTER TABLE hook_run ADD COLUMN waited BIGINT NOT NULL DEFAULT 0;

-- 1 while a person has stopped the agent of the unit.
ALTER TABLE unit ADD COLUMN agent_stopped BIGINT NOT NULL DEFAULT 0;
