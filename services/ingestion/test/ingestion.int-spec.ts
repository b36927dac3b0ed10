import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { maxInlineBytes } from '@lectern/contracts';
import type { Service } from '@lectern/service';
import { eventually, fakeVector } from '@lectern/testing';
import { IngestionFixture, longText, onPglite, onPostgres, type TenantFixture } from './fixture.js';

const backends = { PostgreSQL: onPostgres, PGlite: onPglite };

for (const [name, openDatabase] of Object.entries(backends)) {
  describe(`ingestion on ${name}`, () => {
    let fixture: IngestionFixture;
    let service: Service;
    let tenant: TenantFixture;
    let other: TenantFixture;

    beforeAll(async () => {
      fixture = await IngestionFixture.open(openDatabase);
      service = await fixture.start();
      other = await fixture.newTenant('other');
    });
    afterAll(async () => {
      await service.close();
      await fixture.close();
    });
    beforeEach(async () => {
      tenant = await fixture.newTenant(`tenant ${Math.random()}`);
    });
    afterEach(() => fixture.embedding.reset());

    it('is ready', async () => {
      expect(await service.isReady()).toBe(true);
    });

    describe('create_knowledge_base', () => {
      it('makes a knowledge base on the current model', async () => {
        const { knowledgeBase } = await tenant.createKnowledgeBase({ name: ' Müller & 朋友\u0000 ', description: 'x' });
        expect(knowledgeBase).toMatchObject({ name: 'Müller & 朋友', description: 'x', documentCount: 0 });
        const spaces = await tenant.rows(
          `SELECT s.model, k.state FROM knowledge_base_spaces k JOIN embedding_spaces s ON s.id = k.space_id
           WHERE k.tenant_id = $1 AND k.kb_id = $2`,
          knowledgeBase.id,
        );
        expect(spaces).toEqual([{ model: 'hashed-characters', state: 'active' }]);
      });

      it('refuses a name that the tenant has, and lets another tenant have it', async () => {
        await expect(tenant.createKnowledgeBase({ name: 'base' })).rejects.toMatchObject({ code: 'conflict' });
        expect(other.knowledgeBaseId).not.toBe(tenant.knowledgeBaseId);
      });

      it('answers a repeated delivery of one call alike, and a repeated key too', async () => {
        const first = await tenant.createKnowledgeBase({ name: 'one' }, 'request-1');
        expect(await tenant.createKnowledgeBase({ name: 'one' }, 'request-1')).toEqual(first);
        const keyed = { name: 'two', idempotencyKey: 'k' };
        const answers = await Promise.all([1, 2, 3].map(() => tenant.createKnowledgeBase(keyed)));
        expect(new Set(answers.map((answer) => answer.knowledgeBase.id)).size).toBe(1);
        await expect(tenant.createKnowledgeBase({ name: 'three', idempotencyKey: 'k' })).rejects.toMatchObject({
          code: 'conflict',
          safeMessage: expect.stringContaining('idempotencyKey'),
        });
      });

      it('does not use up a key for a name that is taken', async () => {
        const taken = { name: 'base', idempotencyKey: 'fresh' };
        await expect(tenant.createKnowledgeBase(taken)).rejects.toMatchObject({ code: 'conflict' });
        const { knowledgeBase } = await tenant.createKnowledgeBase({ name: 'free', idempotencyKey: 'fresh' });
        expect(knowledgeBase.name).toBe('free');
      });
    });

    describe('submit_document', () => {
      it('stores text, chunks that slice from it, terms and vectors, then publishes them at once', async () => {
        const text = `\ufeff# 标题 😀\n\n${longText(40)}\n\nÉtude 𝒳\u0000 end`;
        const { documentId, status, created } = await tenant.submit(text, { fileName: 'Notes.MD' });
        expect({ status, created }).toEqual({ status: 'queued', created: true });
        const row = await tenant.settled(documentId);
        expect(row).toMatchObject({ state: 'ready', version: 1, jobState: 'done', stage: 'switch', attempts: 1 });
        expect(row.preview).toMatch(/^# 标题 😀\n\nCase 0.0/);
        const segments = await tenant.rows<{ text: string }>(
          'SELECT text FROM document_texts WHERE tenant_id = $1 AND document_id = $2 ORDER BY segment',
          documentId,
        );
        const stored = segments.map((segment) => segment.text).join('');
        expect(stored).toBe(text.slice(1).replace('\0', '\ufffd'));
        const chunks = await tenant.rows<{ content: string; start: number; end: number; terms: number[] }>(
          `SELECT content, start_offset AS start, end_offset AS end, terms FROM chunks
           WHERE tenant_id = $1 AND document_id = $2 ORDER BY ordinal`,
          documentId,
        );
        expect(row).toMatchObject({
          charCount: stored.length,
          chunkCount: chunks.length,
          chunksTotal: chunks.length,
          chunksEmbedded: chunks.length,
        });
        expect(chunks.length).toBeGreaterThan(20);
        for (const chunk of chunks) expect(stored.slice(chunk.start, chunk.end)).toBe(chunk.content);
        expect(chunks.every((chunk) => chunk.terms.length > 0)).toBe(true);
        expect(fixture.embedding.requests.every((texts) => texts.length <= 16)).toBe(true);
        expect((await tenant.stored(documentId)).vectors).toBe(chunks.length);
      });

      it('keeps a long text in segments that cut no surrogate pair', async () => {
        const text = `x${'😀 emoji. '.repeat(9_000)}`;
        const { documentId } = await tenant.submit(text);
        await tenant.settled(documentId);
        const rows = await tenant.rows<{ text: string; start: number }>(
          'SELECT text, start_offset AS start FROM document_texts WHERE tenant_id = $1 AND document_id = $2 ORDER BY segment',
          documentId,
        );
        expect(rows.length).toBeGreaterThan(1);
        expect(rows.map((row) => row.text).join('')).toBe(text);
        let offset = 0;
        for (const row of rows) {
          expect(row.start).toBe(offset);
          expect(row.text.isWellFormed()).toBe(true);
          offset += row.text.length;
        }
      });

      it.each([
        ['another extension', 'report.pdf', 'text', /\.txt, \.md or \.csv/],
        ['no extension', 'md', 'text', /\.txt, \.md or \.csv/],
        ['nothing but an extension', '.txt', 'text', /\.txt, \.md or \.csv/],
        ['no content', 'a.txt', '', /empty.* Give the text/],
        ['white space alone', 'a.txt', '\ufeff \r\n\t\u3000', /empty.* Give the text/],
        ['invisible characters alone', 'a.md', '\u200b\u200e\u2060', /empty.* Give the text/],
        ['punctuation alone', 'a.csv', ',,,\n"",-,\n。', /empty.* Give the text/],
        ['a binary file', 'a.txt', 'PK\u0003\u0004\u0000\u0000\ufffd\ufffd text', /binary/],
        ['halves of surrogate pairs', 'a.txt', '\ud800 \udc00 '.repeat(9), /binary/],
        ['UTF-16 read as bytes', 'a.csv', [...'a,b,c'].join('\0'), /binary/],
        ['GBK read as Latin-1', 'a.txt', 'ÖÐÎÄµÄÃû³ÆÖÐ¹ú½ç', /read the file as GBK/i],
        ['too many bytes', 'a.txt', '字'.repeat(maxInlineBytes / 3 + 1), /262146 bytes.*262144/],
      ])('refuses %s, and says what it takes', async (_what, fileName, content, words) => {
        await expect(tenant.submit(content, { fileName })).rejects.toMatchObject({
          code: 'invalid_request',
          safeMessage: expect.stringMatching(words),
        });
      });

      it('takes exactly the greatest size, coloured logs and a stray control character', async () => {
        const full = await tenant.submit(`${'a b. '.repeat(maxInlineBytes / 5)}`.padEnd(maxInlineBytes, 'x'));
        const log = await tenant.submit('\u001b[32mINFO\u001b[0m started\n'.repeat(20), { fileName: 'log.txt' });
        const stray = await tenant.submit(`${'words and more words '.repeat(5)}\u0000`);
        for (const { documentId } of [full, log, stray]) {
          expect((await tenant.settled(documentId)).state).toBe('ready');
        }
      });

      it('answers a foreign knowledge base like one that does not exist', async () => {
        const unknown = '00000000-0000-7000-8000-000000000000';
        const errors = await Promise.all(
          [unknown, other.knowledgeBaseId].map((knowledgeBaseId) =>
            tenant.submit('text', { knowledgeBaseId }).catch((error: { code: string; safeMessage: string }) => ({
              code: error.code,
              message: error.safeMessage.replace(knowledgeBaseId, 'ID'),
            })),
          ),
        );
        expect(errors[0]).toEqual(errors[1]);
        expect(errors[0]).toMatchObject({ code: 'not_found' });
      });

      it('gives the same document for the same bytes, also when they race', async () => {
        const answers = await Promise.all(Array.from({ length: 8 }, () => tenant.submit('the same bytes')));
        expect(new Set(answers.map((answer) => answer.documentId)).size).toBe(1);
        expect(new Set(answers.map((answer) => answer.jobId)).size).toBe(1);
        expect(answers.filter((answer) => answer.created)).toHaveLength(1);
        await tenant.settled(answers[0]!.documentId);
        expect(await tenant.submit('the same bytes', { fileName: 'other.md' })).toMatchObject({
          documentId: answers[0]!.documentId,
          status: 'ready',
          created: false,
        });
        const second = await tenant.createKnowledgeBase({ name: 'second' });
        const elsewhere = await tenant.submit('the same bytes', { knowledgeBaseId: second.knowledgeBase.id });
        expect(elsewhere.created).toBe(true);
      });

      it('is not blocked by a copy that failed', async () => {
        fixture.embedding.intercept = async (texts) => texts.map(() => ({ ok: false, reason: 'rejected' }));
        const failed = await tenant.submit('fails the first time');
        expect(await tenant.settled(failed.documentId)).toMatchObject({
          state: 'failed',
          errorCode: 'passage_rejected',
          errorMessage: expect.stringMatching(/upload it again/),
        });
        await eventually('its rows are gone', async () => (await tenant.stored(failed.documentId)).texts === 0);
        expect(await tenant.stored(failed.documentId)).toEqual({ texts: 0, chunks: 0, distinct: 0, vectors: 0 });
        fixture.embedding.reset();
        const again = await tenant.submit('fails the first time');
        expect(again).toMatchObject({ created: true });
        expect(again.documentId).not.toBe(failed.documentId);
        expect((await tenant.settled(again.documentId)).state).toBe('ready');
        expect((await tenant.delete(failed.documentId)).deleted.blobs).toBe(1);
        expect((await tenant.delete(again.documentId)).deleted.blobs).toBe(1);
      });
    });

    describe('the embed stage', () => {
      it('embeds equal texts once, within a document and across documents of the tenant', async () => {
        const paragraph = longText(1).slice(0, 700);
        const first = await tenant.submit(`${paragraph}\n\n${paragraph}`);
        await tenant.settled(first.documentId);
        const asked = fixture.embedding.requests.flat();
        expect(new Set(asked).size).toBe(asked.length);
        const second = await tenant.submit(`${paragraph}\n\n${paragraph}\n`);
        expect(await tenant.settled(second.documentId)).toMatchObject({ state: 'ready' });
        expect(fixture.embedding.requests.flat()).toHaveLength(asked.length);
        const foreign = await other.submit(`${paragraph}\n\n${paragraph}`);
        await other.settled(foreign.documentId);
        expect(fixture.embedding.requests.flat()).toHaveLength(2 * asked.length);
        await other.delete(foreign.documentId);
      });

      it.each([
        ['a vector of zeros', new Float32Array(64), 'embedding_invalid'],
        ['a vector of another dimension', new Float32Array(32).fill(1), 'embedding_invalid'],
        ['a number that is none', new Float32Array(64).fill(Number.NaN), 'embedding_invalid'],
      ])('fails a document rather than store %s', async (_what, vector, errorCode) => {
        fixture.embedding.intercept = async (texts) => texts.map(() => ({ ok: true, vector }));
        const { documentId } = await tenant.submit('a text');
        expect(await tenant.settled(documentId)).toMatchObject({ state: 'failed', errorCode });
      });

      it('fails a document when the model answers too few vectors', async () => {
        fixture.embedding.intercept = async () => [{ ok: true, vector: fakeVector('x') }];
        const { documentId } = await tenant.submit(longText(3));
        expect(await tenant.settled(documentId)).toMatchObject({ state: 'failed', errorCode: 'embedding_invalid' });
      });
    });

    describe('delete_document', () => {
      it('removes everything, with a receipt, and answers unknown and foreign ids alike afterwards', async () => {
        const { documentId } = await tenant.submit(longText(10));
        await tenant.settled(documentId);
        const { chunks, vectors } = await tenant.stored(documentId);
        const receipt = await tenant.delete(documentId);
        expect(receipt).toMatchObject({
          documentId,
          knowledgeBaseId: tenant.knowledgeBaseId,
          title: 'notes.txt',
          deleted: { chunks, vectors, blobs: 1, jobs: 1 },
        });
        expect(await tenant.stored(documentId)).toEqual({ texts: 0, chunks: 0, distinct: 0, vectors: 0 });
        expect(await fixture.blobs.get(`${tenant.tenantId}/${documentId}`)).toBeUndefined();
        const foreign = await other.submit('of another tenant');
        await other.settled(foreign.documentId);
        const errors = await Promise.all(
          [documentId, foreign.documentId].map((id) =>
            tenant.delete(id).catch((error: { code: string; safeMessage: string }) => ({
              code: error.code,
              message: error.safeMessage.replace(id, 'ID'),
            })),
          ),
        );
        expect(errors[0]).toEqual(errors[1]);
        expect(errors[0]).toMatchObject({ code: 'not_found' });
        expect((await other.stored(foreign.documentId)).chunks).toBe(1);
        await other.delete(foreign.documentId);
      });

      it('refuses a document that is in another knowledge base than said', async () => {
        const second = await tenant.createKnowledgeBase({ name: 'second' });
        const { documentId } = await tenant.submit('in the first one');
        await tenant.settled(documentId);
        await expect(tenant.delete(documentId, second.knowledgeBase.id)).rejects.toMatchObject({ code: 'not_found' });
        expect((await tenant.document(documentId))?.jobState).toBe('done');
        expect((await tenant.delete(documentId, tenant.knowledgeBaseId)).documentId).toBe(documentId);
      });
    });
  });
}
