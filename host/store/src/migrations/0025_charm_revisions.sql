-- From which channel of a charm repository the charm of an application is, and which newer revision that
-- channel was at when it was looked at last. Both empty where there is none.
ALTER TABLE application ADD COLUMN channel TEXT NOT NULL DEFAULT '';
ALTER TABLE application ADD COLUMN can_upgrade_to TEXT NOT NULL DEFAULT '';
