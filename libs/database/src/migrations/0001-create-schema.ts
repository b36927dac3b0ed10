import type { Migration } from './migration.js';

const tables = /* sql */ `
CREATE TABLE tenants (
  id uuid PRIMARY KEY,
  name text NOT NULL UNIQUE,
  created_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE api_tokens (
  tenant_id uuid NOT NULL REFERENCES tenants ON DELETE CASCADE,
  id uuid NOT NULL,
  hash bytea NOT NULL UNIQUE CHECK (octet_length(hash) = 32),
  name text NOT NULL,
  subject text NOT NULL,
  scopes text[] NOT NULL,
  managed boolean NOT NULL DEFAULT false,
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz,
  revoked_at timestamptz,
  last_used_at timestamptz,
  PRIMARY KEY (tenant_id, id)
);
CREATE UNIQUE INDEX api_tokens_one_managed ON api_tokens (tenant_id) WHERE managed AND revoked_at IS NULL;

CREATE TABLE knowledge_bases (
  tenant_id uuid NOT NULL REFERENCES tenants ON DELETE CASCADE,
  id uuid NOT NULL,
  name text NOT NULL,
  description text NOT NULL DEFAULT '',
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (tenant_id, id),
  UNIQUE (tenant_id, name)
);

CREATE TABLE embedding_spaces (
  id uuid PRIMARY KEY,
  provider text NOT NULL,
  model text NOT NULL,
  revision text NOT NULL,
  dimension int NOT NULL CHECK (dimension BETWEEN 1 AND 4000),
  normalised boolean NOT NULL,
  floor real NOT NULL,
  min_similarity real NOT NULL,
  dense_weight real NOT NULL,
  query_prefix text NOT NULL,
  passage_prefix text NOT NULL,
  max_tokens int NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  UNIQUE (provider, model, revision)
);

CREATE TABLE knowledge_base_spaces (
  tenant_id uuid NOT NULL,
  kb_id uuid NOT NULL,
  space_id uuid NOT NULL REFERENCES embedding_spaces,
  state text NOT NULL CHECK (state IN ('building', 'active', 'retired')),
  PRIMARY KEY (tenant_id, kb_id, space_id),
  FOREIGN KEY (tenant_id, kb_id) REFERENCES knowledge_bases ON DELETE CASCADE
);
CREATE UNIQUE INDEX knowledge_base_spaces_one_active ON knowledge_base_spaces (tenant_id, kb_id)
  WHERE state = 'active';

CREATE TABLE documents (
  tenant_id uuid NOT NULL,
  id uuid NOT NULL,
  kb_id uuid NOT NULL,
  title text NOT NULL,
  content_type text NOT NULL,
  sha256 bytea NOT NULL CHECK (octet_length(sha256) = 32),
  blob_key text NOT NULL,
  byte_count int NOT NULL,
  char_count int NOT NULL DEFAULT 0,
  chunk_count int NOT NULL DEFAULT 0,
  preview text NOT NULL DEFAULT '',
  state text NOT NULL DEFAULT 'queued'
    CHECK (state IN ('queued', 'processing', 'ready', 'failed', 'needs_ocr')),
  active_version int,
  error_code text,
  error_message text,
  loss_report jsonb,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (tenant_id, id),
  FOREIGN KEY (tenant_id, kb_id) REFERENCES knowledge_bases ON DELETE CASCADE
);
CREATE UNIQUE INDEX documents_same_bytes ON documents (tenant_id, kb_id, sha256) WHERE state <> 'failed';
CREATE INDEX documents_newest ON documents (tenant_id, created_at DESC, id DESC);
CREATE INDEX documents_changed ON documents (tenant_id, updated_at) WHERE active_version IS NOT NULL;
CREATE INDEX documents_by_knowledge_base ON documents (tenant_id, kb_id, created_at DESC, id DESC);

CREATE TABLE ingestion_jobs (
  tenant_id uuid NOT NULL,
  id uuid NOT NULL,
  kb_id uuid NOT NULL,
  document_id uuid NOT NULL,
  version int NOT NULL,
  space_id uuid NOT NULL REFERENCES embedding_spaces,
  state text NOT NULL DEFAULT 'queued'
    CHECK (state IN ('queued', 'running', 'done', 'failed', 'cancelled')),
  stage text CHECK (stage IN ('parse', 'chunk', 'embed', 'switch')),
  attempts int NOT NULL DEFAULT 0,
  chunks_total int NOT NULL DEFAULT 0,
  chunks_embedded int NOT NULL DEFAULT 0,
  error_code text,
  error_message text,
  trace jsonb NOT NULL DEFAULT '{}',
  requested_by text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  finished_at timestamptz,
  PRIMARY KEY (tenant_id, id),
  UNIQUE (tenant_id, document_id, version),
  FOREIGN KEY (tenant_id, document_id) REFERENCES documents ON DELETE CASCADE
);
CREATE INDEX ingestion_jobs_outstanding ON ingestion_jobs (updated_at) WHERE state IN ('queued', 'running');

CREATE TABLE document_texts (
  tenant_id uuid NOT NULL,
  document_id uuid NOT NULL,
  version int NOT NULL,
  segment int NOT NULL,
  start_offset int NOT NULL,
  text text NOT NULL,
  PRIMARY KEY (tenant_id, document_id, version, segment),
  FOREIGN KEY (tenant_id, document_id) REFERENCES documents ON DELETE CASCADE
);

CREATE TABLE chunks (
  tenant_id uuid NOT NULL,
  id uuid NOT NULL,
  kb_id uuid NOT NULL,
  document_id uuid NOT NULL,
  version int NOT NULL,
  ordinal int NOT NULL,
  kind text NOT NULL CHECK (kind IN ('text', 'table')),
  content text NOT NULL,
  heading_path text[] NOT NULL DEFAULT '{}',
  page int,
  sheet text,
  range text,
  start_offset int NOT NULL,
  end_offset int NOT NULL,
  token_count int NOT NULL,
  text_hash bytea NOT NULL CHECK (octet_length(text_hash) = 32),
  terms int[] NOT NULL,
  lexical sparsevec NOT NULL,
  PRIMARY KEY (tenant_id, id),
  UNIQUE (tenant_id, document_id, version, ordinal),
  FOREIGN KEY (tenant_id, document_id) REFERENCES documents ON DELETE CASCADE
);
-- Out-of-line storage would cost a fetch for every distance.
ALTER TABLE chunks ALTER COLUMN lexical SET STORAGE PLAIN;
CREATE INDEX chunks_terms ON chunks USING gin (terms);
CREATE INDEX chunks_same_text ON chunks (tenant_id, text_hash);

CREATE TABLE chunk_vectors (
  tenant_id uuid NOT NULL,
  space_id uuid NOT NULL,
  kb_id uuid NOT NULL,
  document_id uuid NOT NULL,
  version int NOT NULL,
  chunk_id uuid NOT NULL,
  embedding halfvec NOT NULL,
  PRIMARY KEY (tenant_id, chunk_id, space_id),
  FOREIGN KEY (tenant_id, chunk_id) REFERENCES chunks ON DELETE CASCADE
) PARTITION BY LIST (space_id);
-- From some 950 dimensions on a vector would go out of line, and a distance would cost a fetch.
ALTER TABLE chunk_vectors ALTER COLUMN embedding SET STORAGE PLAIN;
CREATE INDEX chunk_vectors_by_document ON chunk_vectors (tenant_id, document_id);
CREATE INDEX chunk_vectors_by_knowledge_base ON chunk_vectors (tenant_id, kb_id);

CREATE TABLE lexical_totals (
  tenant_id uuid PRIMARY KEY REFERENCES tenants ON DELETE CASCADE,
  chunk_count int NOT NULL,
  counted_at timestamptz NOT NULL
);

CREATE TABLE lexical_terms (
  tenant_id uuid NOT NULL REFERENCES tenants ON DELETE CASCADE,
  term int NOT NULL,
  document_frequency int NOT NULL,
  PRIMARY KEY (tenant_id, term)
);

CREATE TABLE idempotency_keys (
  tenant_id uuid NOT NULL REFERENCES tenants ON DELETE CASCADE,
  operation text NOT NULL,
  key text NOT NULL,
  response jsonb NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (tenant_id, operation, key)
);
`;

const rowLevelSecurity = /* sql */ `
-- After a transaction the setting is an empty string, not null.
CREATE FUNCTION current_tenant() RETURNS uuid LANGUAGE sql STABLE PARALLEL SAFE
  AS $$ SELECT nullif(current_setting('app.tenant_id', true), '')::uuid $$;

-- Forced, so that the owner is bound too: hence its own policy, without which data migrations would see no row.
CREATE FUNCTION isolate_tenants(target regclass, tenant_column name DEFAULT 'tenant_id') RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY', target);
  EXECUTE format('ALTER TABLE %s FORCE ROW LEVEL SECURITY', target);
  EXECUTE format('CREATE POLICY tenant ON %s USING (%I = nullif(current_setting(''app.tenant_id'', true), '''')::uuid)',
    target, tenant_column);
  EXECUTE format('CREATE POLICY owner ON %s TO lectern_owner USING (true) WITH CHECK (true)', target);
END $$;
REVOKE ALL ON FUNCTION isolate_tenants FROM PUBLIC;

SELECT isolate_tenants('tenants', 'id');
SELECT isolate_tenants(name::regclass) FROM unnest(ARRAY[
  'api_tokens', 'knowledge_bases', 'knowledge_base_spaces', 'documents', 'ingestion_jobs', 'document_texts', 'chunks',
  'chunk_vectors', 'lexical_totals', 'lexical_terms', 'idempotency_keys']) AS name;

GRANT SELECT ON embedding_spaces TO lectern_retrieval, lectern_ingestion;
GRANT SELECT ON knowledge_bases, knowledge_base_spaces, documents, ingestion_jobs, document_texts, chunks, chunk_vectors,
  lexical_totals, lexical_terms TO lectern_retrieval;
GRANT SELECT, INSERT, UPDATE, DELETE ON knowledge_bases, knowledge_base_spaces, documents, ingestion_jobs,
  document_texts, chunks, chunk_vectors, lexical_totals, lexical_terms, idempotency_keys TO lectern_ingestion;
GRANT SELECT, INSERT ON api_tokens TO lectern_gateway;
GRANT UPDATE (last_used_at, revoked_at) ON api_tokens TO lectern_gateway;
`;

/** The closed list of what looks across tenants; every one returns ids only. */
const definerFunctions = /* sql */ `
CREATE FUNCTION find_api_token(token_hash bytea) RETURNS TABLE (tenant_id uuid, token_id uuid)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT t.tenant_id, t.id FROM api_tokens t WHERE t.hash = token_hash
$$;

-- The tenant that a fixed token of the configuration belongs to.
CREATE FUNCTION find_tenant(tenant_name text) RETURNS TABLE (tenant_id uuid)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT t.id FROM tenants t WHERE t.name = tenant_name
$$;

CREATE FUNCTION outstanding_ingestion_jobs(stale_before timestamptz, max_rows int)
RETURNS TABLE (tenant_id uuid, job_id uuid)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT j.tenant_id, j.id FROM ingestion_jobs j
  WHERE j.state IN ('queued', 'running') AND j.updated_at < stale_before
  ORDER BY j.updated_at LIMIT max_rows
$$;

CREATE FUNCTION tenants_to_recount(max_rows int) RETURNS TABLE (tenant_id uuid)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT t.id FROM tenants t LEFT JOIN lexical_totals l ON l.tenant_id = t.id
  WHERE l.counted_at = '-infinity' OR EXISTS (
    SELECT FROM documents d WHERE d.tenant_id = t.id AND d.active_version IS NOT NULL
      AND d.updated_at >= coalesce(l.counted_at, '-infinity'))
  LIMIT max_rows
$$;

-- Counts anew for the tenant of the transaction. Returns at once when somebody else is counting.
CREATE FUNCTION recount_lexical_terms() RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  tenant uuid := current_tenant();
BEGIN
  IF tenant IS NULL OR NOT pg_try_advisory_xact_lock(hashtextextended('lectern.recount.' || tenant, 0)) THEN
    RETURN false;
  END IF;
  WITH counted AS MATERIALIZED (
    SELECT term, count(*)::int AS document_frequency
    FROM chunks c
    JOIN documents d ON d.tenant_id = c.tenant_id AND d.id = c.document_id AND d.active_version = c.version
    CROSS JOIN LATERAL unnest(c.terms) AS term
    WHERE c.tenant_id = tenant GROUP BY term
  ), gone AS (
    DELETE FROM lexical_terms l
    WHERE l.tenant_id = tenant AND NOT EXISTS (SELECT FROM counted r WHERE r.term = l.term)
  )
  INSERT INTO lexical_terms AS l (tenant_id, term, document_frequency)
    SELECT tenant, r.term, r.document_frequency FROM counted r
    ON CONFLICT ON CONSTRAINT lexical_terms_pkey DO UPDATE SET document_frequency = excluded.document_frequency
    WHERE l.document_frequency <> excluded.document_frequency;
  INSERT INTO lexical_totals AS l (tenant_id, chunk_count, counted_at)
    -- A transaction that began a little earlier may become visible only now: its documents are to count as changed.
    SELECT tenant, count(*)::int, now() - interval '5 seconds'
    FROM chunks c
    JOIN documents d ON d.tenant_id = c.tenant_id AND d.id = c.document_id AND d.active_version = c.version
    WHERE c.tenant_id = tenant
    ON CONFLICT ON CONSTRAINT lexical_totals_pkey
    DO UPDATE SET chunk_count = excluded.chunk_count, counted_at = excluded.counted_at;
  RETURN true;
END $$;

-- The id of a space, which is made with its partitions when it is new. A leaf's vectors have one dimension, which its
-- parents' untyped column can't say: a CHECK and the cast in the index do.
CREATE FUNCTION ensure_embedding_space(
  p_id uuid, p_provider text, p_model text, p_revision text, p_dimension int, p_normalised boolean, p_floor real,
  p_min_similarity real, p_dense_weight real, p_query_prefix text, p_passage_prefix text, p_max_tokens int
) RETURNS uuid LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  known uuid;
  parent text := 'chunk_vectors_' || replace(p_id::text, '-', '');
  leaf text;
BEGIN
  SELECT id INTO known FROM embedding_spaces WHERE provider = p_provider AND model = p_model AND revision = p_revision;
  IF known IS NOT NULL THEN RETURN known; END IF;
  PERFORM pg_advisory_xact_lock(hashtextextended('lectern.embedding_space', 0));
  SELECT id INTO known FROM embedding_spaces WHERE provider = p_provider AND model = p_model AND revision = p_revision;
  IF known IS NOT NULL THEN RETURN known; END IF;
  INSERT INTO embedding_spaces (id, provider, model, revision, dimension, normalised, floor, min_similarity,
    dense_weight, query_prefix, passage_prefix, max_tokens)
  VALUES (p_id, p_provider, p_model, p_revision, p_dimension, p_normalised, p_floor, p_min_similarity, p_dense_weight,
    p_query_prefix, p_passage_prefix, p_max_tokens);
  EXECUTE format('CREATE TABLE %I (LIKE chunk_vectors INCLUDING DEFAULTS INCLUDING STORAGE, CHECK (vector_dims(embedding) = %s))
    PARTITION BY HASH (tenant_id)', parent, p_dimension);
  PERFORM isolate_tenants(parent::regclass);
  FOR remainder IN 0..7 LOOP
    leaf := parent || '_' || remainder;
    EXECUTE format('CREATE TABLE %I PARTITION OF %I FOR VALUES WITH (MODULUS 8, REMAINDER %s)', leaf, parent, remainder);
    EXECUTE format('CREATE INDEX ON %I USING hnsw ((embedding::halfvec(%s)) halfvec_cosine_ops)', leaf, p_dimension);
    PERFORM isolate_tenants(leaf::regclass);
  END LOOP;
  EXECUTE format('ALTER TABLE chunk_vectors ATTACH PARTITION %I FOR VALUES IN (%L)', parent, p_id);
  RETURN p_id;
END $$;

-- The lexical leg. Under row-level security the operator && is no leakproof qual and would scan the whole table, so the
-- function runs as the owner and filters by the tenant of the transaction itself. OFFSET 0 leaves that filter for the
-- few chunks that the terms select: the index of the tenant's chunks would be read as a whole.
CREATE FUNCTION lexical_candidates(p_terms int[], p_query text, p_kb_ids uuid[], p_document uuid, p_limit int)
RETURNS TABLE (chunk_id uuid) ROWS 50
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT c.id
  FROM (
    SELECT tenant_id, id, kb_id, document_id, version, lexical FROM chunks WHERE terms && p_terms OFFSET 0
  ) c
  JOIN documents d ON d.tenant_id = c.tenant_id AND d.id = c.document_id AND d.active_version = c.version
  WHERE c.tenant_id = current_tenant()
    AND c.kb_id = ANY (p_kb_ids)
    AND (p_document IS NULL OR c.document_id = p_document)
  ORDER BY c.lexical <#> p_query::sparsevec, c.id
  LIMIT p_limit
$$;

REVOKE ALL ON FUNCTION find_api_token, find_tenant, outstanding_ingestion_jobs, tenants_to_recount, recount_lexical_terms,
  ensure_embedding_space, lexical_candidates FROM PUBLIC;
GRANT EXECUTE ON FUNCTION find_api_token, find_tenant TO lectern_gateway;
GRANT EXECUTE ON FUNCTION outstanding_ingestion_jobs, tenants_to_recount, recount_lexical_terms, ensure_embedding_space
  TO lectern_ingestion;
GRANT EXECUTE ON FUNCTION lexical_candidates TO lectern_retrieval;
`;

export const createSchema: Migration = {
  version: 1,
  name: 'create-schema',
  reason: 'The first schema: tenants, documents with versions, both legs of the search, jobs.',
  sql: tables + rowLevelSecurity + definerFunctions,
};
