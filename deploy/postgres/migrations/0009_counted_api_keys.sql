-- Up Migration

-- API keys are counted by tenant, as sources and endpoints are (0003).
ALTER TABLE api_keys ADD COLUMN bytes integer GENERATED ALWAYS AS (CASE WHEN buried THEN 0 ELSE 300 END) STORED;
INSERT INTO tenant_resources (tenant, kind, live, bytes)
SELECT tenant, 'api_keys', count(*) FILTER (WHERE deleted_at IS NULL), sum(bytes) FROM api_keys GROUP BY tenant;
CREATE TRIGGER count_inserted AFTER INSERT ON api_keys
  REFERENCING NEW TABLE AS after_it FOR EACH STATEMENT EXECUTE FUNCTION count_resources();
CREATE TRIGGER count_updated AFTER UPDATE ON api_keys
  REFERENCING OLD TABLE AS before_it NEW TABLE AS after_it FOR EACH STATEMENT EXECUTE FUNCTION count_resources();
CREATE TRIGGER count_deleted AFTER DELETE ON api_keys
  REFERENCING OLD TABLE AS before_it FOR EACH STATEMENT EXECUTE FUNCTION count_resources();

-- Down Migration

DROP TRIGGER count_inserted ON api_keys;
DROP TRIGGER count_updated ON api_keys;
DROP TRIGGER count_deleted ON api_keys;
DELETE FROM tenant_resources WHERE kind = 'api_keys';
ALTER TABLE api_keys DROP COLUMN bytes;
