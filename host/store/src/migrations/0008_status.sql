-- The applications that are present in each relation, which the status of a model shows.
CREATE INDEX relation_unit_application ON relation_unit (model_uuid, relation_id, application, in_scope);
