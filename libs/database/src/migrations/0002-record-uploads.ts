import type { Migration } from './migration.js';

const sql = /* sql */ `
-- The row of a file that may be stored, from before its first byte until its document's row is there.
CREATE TABLE uploads (
  tenant_id uuid NOT NULL REFERENCES tenants ON DELETE CASCADE,
  document_id uuid NOT NULL,
  blob_key text NOT NULL,
  started_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (tenant_id, document_id)
);
CREATE INDEX uploads_started ON uploads (started_at);

SELECT isolate_tenants('uploads');
GRANT SELECT, INSERT, DELETE ON uploads TO lectern_ingestion;

CREATE FUNCTION abandoned_uploads(started_before timestamptz, max_rows int)
RETURNS TABLE (tenant_id uuid, document_id uuid)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT u.tenant_id, u.document_id FROM uploads u
  WHERE u.started_at < started_before ORDER BY u.started_at LIMIT max_rows
$$;
REVOKE ALL ON FUNCTION abandoned_uploads FROM PUBLIC;
GRANT EXECUTE ON FUNCTION abandoned_uploads TO lectern_ingestion;
`;

export const recordUploads: Migration = {
  version: 2,
  name: 'record-uploads',
  reason: 'A file whose upload broke off before its document was stored has to be found and removed.',
  sql,
};
