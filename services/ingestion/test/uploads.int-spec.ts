import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { BlobStore } from '@lectern/blobs';
import type { Service } from '@lectern/service';
import { eventually, hasServers } from '@lectern/testing';
import { IngestionFixture, onPglite, onPostgres, type TenantFixture } from './fixture.js';

const backends = { PostgreSQL: onPostgres, PGlite: onPglite };
const names = Object.keys(backends) as (keyof typeof backends)[];

(hasServers('postgres') ? describe : describe.skip).each(names)('an upload, with %s', (name) => {
  let fixture: IngestionFixture;
  let service: Service;
  let tenant: TenantFixture;
  let whenStored: () => Promise<void>;

  beforeAll(async () => {
    fixture = await IngestionFixture.open(backends[name]);
    const { blobs: store } = fixture;
    const blobs: BlobStore = {
      put: async (key, bytes) => {
        await whenStored();
        await store.put(key, bytes);
      },
      get: (key) => store.get(key),
      delete: (key) => store.delete(key),
    };
    service = await fixture.start({ blobs });
  });
  afterAll(async () => {
    await service.close();
    await fixture.close();
  });
  beforeEach(async () => {
    whenStored = async () => undefined;
    tenant = await fixture.newTenant(`tenant ${Math.random()}`);
  });
  afterEach(() => repairDocuments());

  const breakDocuments = () =>
    fixture.storage.asAdmin((transaction) =>
      transaction.query('ALTER TABLE documents ADD CONSTRAINT broken CHECK (false) NOT VALID'),
    );
  const repairDocuments = () =>
    fixture.storage.asAdmin((transaction) =>
      transaction.query('ALTER TABLE documents DROP CONSTRAINT IF EXISTS broken'),
    );
  const uploads = () => tenant.rows<{ key: string }>('SELECT blob_key AS key FROM uploads WHERE tenant_id = $1');
  const age = (interval: string) =>
    tenant.rows('UPDATE uploads SET started_at = now() - $2::interval WHERE tenant_id = $1', interval);
  const untilSwept = () => eventually('the upload is removed', async () => (await uploads()).length === 0);
  /** Sweeps come in turn, and take the oldest first. */
  const expectLeftAlone = async () => {
    const other = await fixture.newTenant(`other ${Math.random()}`);
    await other.rows(
      "INSERT INTO uploads (tenant_id, document_id, blob_key, started_at) VALUES ($1, gen_random_uuid(), 'none', now() - interval '61 minutes')",
    );
    await eventually('a sweep has been', async () => {
      const rows = await other.rows('SELECT document_id FROM uploads WHERE tenant_id = $1');
      return rows.length === 0;
    });
    expect(await uploads()).toHaveLength(1);
  };

  it('that breaks off after its file was stored leaves the file for no longer than an hour', async () => {
    await breakDocuments();
    await expect(tenant.submit('secret')).rejects.toMatchObject({ code: 'internal' });
    const [upload] = await uploads();
    expect(await fixture.blobs.get(upload!.key)).toBeDefined();
    await age('50 minutes');
    await expectLeftAlone();
    expect(await fixture.blobs.get(upload!.key)).toBeDefined();
    await age('61 minutes');
    await untilSwept();
    expect(await fixture.blobs.get(upload!.key)).toBeUndefined();
  });

  it('is on record no longer once its document is stored', async () => {
    const { documentId } = await tenant.submit('kept');
    expect(await uploads()).toEqual([]);
    expect(await fixture.blobs.get(`${tenant.tenantId}/${documentId}`)).toBeDefined();
  });

  it('leaves no file of a text that another call was storing at the same time', async () => {
    const answers = await Promise.all([tenant.submit('twice'), tenant.submit('twice')]);
    expect(new Set(answers.map(({ documentId }) => documentId)).size).toBe(1);
    for (const { key } of await uploads()) expect(await fixture.blobs.get(key)).toBeUndefined();
  });

  it('that stood still for an hour becomes no document without a file, and leaves no file', async () => {
    const { promise: moving, resolve: move } = Promise.withResolvers<void>();
    whenStored = () => moving;
    const submitting = tenant.submit('late');
    const [upload] = await eventually('it is on record', async () => {
      const rows = await uploads();
      return rows.length > 0 && rows;
    });
    await age('61 minutes');
    await untilSwept();
    move();
    await expect(submitting).rejects.toMatchObject({ code: 'unavailable' });
    expect(await tenant.rows('SELECT id FROM documents WHERE tenant_id = $1')).toEqual([]);
    expect(await fixture.blobs.get(upload!.key)).toBeUndefined();
  });
});
