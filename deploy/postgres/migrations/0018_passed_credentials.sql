-- Up Migration, outside a transaction

-- Of an endpoint's pass_headers those that may be secrets, in lower case and in order; null if there are none, as of nearly all endpoints. By
-- the same rule as isSensitiveHeader of libs/contract: a test compares them.
CREATE OR REPLACE FUNCTION passed_credentials(settings jsonb) RETURNS text[] LANGUAGE sql IMMUTABLE AS $$
  SELECT array_agg(DISTINCT lower(rule) ORDER BY lower(rule))
    FROM jsonb_array_elements_text(
           CASE jsonb_typeof(settings->'pass_headers') WHEN 'array' THEN settings->'pass_headers' END) AS rule
   WHERE rule NOT LIKE '%*'
     AND rule ~* 'auth|bearer|cookie|credential|jwt|key|pass|secret|session|signature|token'
$$;
-- Every ingress asks for them every two seconds.
CREATE INDEX CONCURRENTLY IF NOT EXISTS endpoints_passing_credentials ON endpoints (tenant, passed_credentials(settings))
 WHERE passed_credentials(settings) IS NOT NULL AND deleted_at IS NULL;

-- Down Migration

DROP INDEX endpoints_passing_credentials;
DROP FUNCTION passed_credentials;
