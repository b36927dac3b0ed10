import { readdir } from 'node:fs/promises';
import { withAdmin } from '@lectern/database';
import type { TestStack } from './stack.js';

/** Tables that an upload or a search may write to, beside the counts of words that a recount changes at any time. */
const tables = [
  'knowledge_bases',
  'knowledge_base_spaces',
  'documents',
  'ingestion_jobs',
  'document_texts',
  'chunks',
  'chunk_vectors',
  'idempotency_keys',
];

/** Conditions under which a row is left over or half made, by what is wrong; `d` is a document, `j` its only job. */
const flaws: Record<string, string> = {
  'a document without its job': 'j.id IS NULL',
  'a document that never ends': `d.state NOT IN ('ready', 'failed')`,
  'a document and a job that disagree': `(d.state = 'ready') <> (j.state = 'done')`,
  'a failure without a reason': `d.state = 'failed' AND (d.error_code IS NULL OR d.error_message IS NULL)`,
  'a ready document without a text': `d.state = 'ready' AND NOT EXISTS (SELECT FROM document_texts t WHERE ${published('t')})`,
  'a ready document with another number of chunks': `d.state = 'ready'
     AND (d.chunk_count = 0 OR d.chunk_count <> (SELECT count(*) FROM chunks c WHERE ${published('c')}))`,
  'a chunk without a vector': `EXISTS (SELECT FROM chunks c WHERE ${published('c')} AND NOT EXISTS (
     SELECT FROM chunk_vectors v WHERE v.tenant_id = c.tenant_id AND v.chunk_id = c.id))`,
  'a text of no version': `EXISTS (SELECT FROM document_texts t WHERE ${unpublished('t')})`,
  'a chunk of no version': `EXISTS (SELECT FROM chunks c WHERE ${unpublished('c')})`,
};

function published(alias: string): string {
  return `${alias}.tenant_id = d.tenant_id AND ${alias}.document_id = d.id AND ${alias}.version = d.active_version`;
}

function unpublished(alias: string): string {
  return `${alias}.tenant_id = d.tenant_id AND ${alias}.document_id = d.id
    AND ${alias}.version IS DISTINCT FROM d.active_version`;
}

/** What is stored half, over all tenants, in words; empty when everything is whole. Files without a document count. */
export async function findHalfStored(stack: TestStack): Promise<string[]> {
  return withAdmin(stack.postgres.adminUrl, async (connection) => {
    const found: string[] = [];
    for (const [flaw, condition] of Object.entries(flaws)) {
      const rows = await connection.query<{ title: string }>(
        `SELECT d.title FROM documents d
         LEFT JOIN ingestion_jobs j ON j.tenant_id = d.tenant_id AND j.document_id = d.id WHERE ${condition}`,
      );
      for (const { title } of rows) found.push(`${flaw}: ${title}`);
    }
    const [documents] = await connection.query<{ count: number }>('SELECT count(*)::int AS count FROM documents');
    const files = await storedFiles(stack);
    if (files !== documents?.count) found.push(`${files} file(s) of ${documents?.count} document(s)`);
    return found;
  });
}

/** How many rows each table has over all tenants, and how many files there are. */
export async function countStored(stack: TestStack): Promise<Record<string, number>> {
  return withAdmin(stack.postgres.adminUrl, async (connection) => {
    const counts: Record<string, number> = { files: await storedFiles(stack) };
    for (const table of tables) {
      const [row] = await connection.query<{ count: number }>(`SELECT count(*)::int AS count FROM ${table}`);
      counts[table] = row?.count ?? Number.NaN;
    }
    return counts;
  });
}

/** Those that are only being written count too: nothing is under way when a test counts. */
async function storedFiles({ blobs }: TestStack): Promise<number> {
  const entries = await readdir(blobs, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).length;
}
