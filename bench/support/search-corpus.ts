import { createHash } from 'node:crypto';
import { languages, readPassages, readQuestions, xquadIsThere } from '@lectern/e2e';
import { newId, toSparsevecText, toVectorText, type Database } from '@lectern/database';
import { estimateTokens, lexicalDocument } from '@lectern/text';
import { randomNumbers } from './random-numbers.js';
import { syntheticTexts, type SourceTexts } from './synthetic-texts.js';

/** A passage as ingestion would have stored it. */
export interface EmbeddedText {
  text: string;
  vector: Float32Array;
}

/** XQuAD where it lies beside the project, else made-up texts. */
export function sourceTexts(): SourceTexts {
  if (!xquadIsThere) return syntheticTexts();
  const all = languages.map((language) => ({ passages: readPassages(language), questions: readQuestions(language) }));
  // The languages take turns, so that every part of a run has both.
  const interleaved = all[0]!.questions.flatMap((_, index) =>
    all.flatMap(({ questions }) => questions[index]?.text ?? []),
  );
  return {
    origin: 'XQuAD',
    passages: all.flatMap(({ passages }) => passages.map(({ text }) => text)),
    // As the tool takes them: without white space at their ends.
    questions: [...new Set(interleaved.map((question) => question.trim()))],
  };
}

/**
 * The originals and as many passages mixed from them as are missing: sentences of three originals, with the mean of
 * their vectors and some noise, since embedding so many would take many minutes.
 */
export function multiply(originals: readonly EmbeddedText[], count: number): EmbeddedText[] {
  const random = randomNumbers(1);
  const made = originals.slice(0, count);
  while (made.length < count) {
    const first = Math.floor(random() * originals.length);
    // Neighbours are of one language, as the sentences of a passage are.
    const donors = [0, 1, 2].map(
      (step) => originals[(first + step * (1 + Math.floor(random() * 20))) % originals.length]!,
    );
    made.push(mix(donors, random));
  }
  return made;
}

function mix(donors: readonly EmbeddedText[], random: () => number): EmbeddedText {
  const text = donors
    .flatMap((donor) => {
      const sentences = donor.text.match(/[^。！？.!?]+[。！？.!?]*/g) ?? [donor.text];
      const from = Math.floor(random() * sentences.length);
      return sentences.slice(from, from + 2);
    })
    .join('');
  const noise = 0.1 / Math.sqrt(donors[0]!.vector.length);
  const sum = donors[0]!.vector.map((_, at) => {
    return donors.reduce((total, { vector }) => total + vector[at]!, 0) / donors.length + (random() - 0.5) * noise;
  });
  const norm = Math.hypot(...sum);
  return { text, vector: sum.map((value) => value / norm) };
}

const chunksPerDocument = 10;
const documentsAtOnce = 50;

const insertDocuments = `
  INSERT INTO documents (tenant_id, id, kb_id, title, content_type, sha256, blob_key, byte_count, chunk_count, state,
    active_version)
  SELECT $1, d.id, $2, 'document ' || d.id, 'txt', sha256(d.id::text::bytea), 'none', 0, $4, 'ready', 1
  FROM unnest($3::uuid[]) AS d (id)`;

const insertChunks = `
  INSERT INTO chunks (tenant_id, kb_id, id, document_id, version, ordinal, kind, content, start_offset, end_offset,
    token_count, text_hash, terms, lexical)
  SELECT $1, $2, c.id, c.document_id, 1, c.ordinal, 'text', c.content, 0, length(c.content), c.token_count, c.text_hash,
    ARRAY(SELECT jsonb_array_elements_text(c.terms::jsonb)::int), c.lexical::sparsevec
  FROM unnest($3::uuid[], $4::uuid[], $5::int[], $6::text[], $7::int[], $8::bytea[], $9::text[], $10::text[])
    AS c (id, document_id, ordinal, content, token_count, text_hash, terms, lexical)`;

const insertVectors = `
  INSERT INTO chunk_vectors (tenant_id, kb_id, space_id, document_id, version, chunk_id, embedding)
  SELECT $1, $2, k.space_id, v.document_id, 1, v.id, v.embedding::halfvec
  FROM knowledge_base_spaces k, unnest($3::uuid[], $4::uuid[], $5::text[]) AS v (id, document_id, embedding)
  WHERE k.tenant_id = $1 AND k.kb_id = $2`;

/** Writes the rows that ingestion would have written, in documents of ten chunks, and counts the terms. */
export async function seed(
  database: Database,
  { tenantId, knowledgeBaseId }: { tenantId: string; knowledgeBaseId: string },
  texts: readonly EmbeddedText[],
): Promise<void> {
  const rows = texts.map((one, index) => ({ ...one, id: newId(), ordinal: index % chunksPerDocument }));
  const step = chunksPerDocument * documentsAtOnce;
  const base = [tenantId, knowledgeBaseId];
  for (let at = 0; at < rows.length; at += step) {
    const part = rows.slice(at, at + step);
    const documents = Array.from({ length: Math.ceil(part.length / chunksPerDocument) }, () => newId());
    const ids = part.map(({ id }) => id);
    const owners = part.map((_, index) => documents[Math.floor(index / chunksPerDocument)]);
    const lexical = part.map(({ text }) => lexicalDocument(tenantId, text));
    await database.withTenant(tenantId, async (transaction) => {
      await transaction.query(insertDocuments, [...base, documents, chunksPerDocument]);
      await transaction.query(insertChunks, [
        ...[...base, ids, owners],
        part.map(({ ordinal }) => ordinal),
        part.map(({ text }) => text),
        part.map(({ text }) => estimateTokens(text)),
        part.map(({ text }) => createHash('sha256').update(text).digest()),
        lexical.map(({ terms }) => JSON.stringify(terms)),
        lexical.map(({ vector }) => toSparsevecText(vector)),
      ]);
      await transaction.query(insertVectors, [...base, ids, owners, part.map(({ vector }) => toVectorText(vector))]);
    });
  }
  await database.withTenant(tenantId, (transaction) => transaction.query('SELECT recount_lexical_terms()'));
}
