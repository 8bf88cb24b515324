-- To whom an application's open ports show, by endpoint: JSON. Nothing was ever exposed before.
ALTER TABLE application ADD COLUMN exposure TEXT NOT NULL DEFAULT '{}';
ALTER TABLE application DROP COLUMN exposed;
-- The number of the unit's address, which no other unit of the controller has; none where there was none left.
ALTER TABLE unit ADD COLUMN address BIGINT;
UPDATE unit SET address = numbered.number
    FROM (SELECT model_uuid, name, ROW_NUMBER() OVER (ORDER BY created_at, model_uuid, name) AS number FROM unit) AS numbered
    WHERE numbered.model_uuid = unit.model_uuid AND numbered.name = unit.name AND numbered.number <= 65534;
CREATE UNIQUE INDEX unit_address ON unit (address);
INSERT INTO sequence (model_uuid, name, value) SELECT '', 'unit address', COUNT(*) FROM unit;
-- Which of its exposed ports listen where, as the provider said it last: JSON.
ALTER TABLE unit ADD COLUMN reached TEXT NOT NULL DEFAULT '{}';
-- Where the model's exposed applications are found by name, or why nowhere: JSON.
ALTER TABLE model ADD COLUMN ingress TEXT NOT NULL DEFAULT '{}';
