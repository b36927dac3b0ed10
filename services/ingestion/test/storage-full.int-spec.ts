import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { BlobStoreFullError, type BlobStore } from '@lectern/blobs';
import type { Service } from '@lectern/service';
import { hasServers } from '@lectern/testing';
import { IngestionFixture, onPglite, onPostgres, type TenantFixture } from './fixture.js';
import { recordedLog } from './recorded-log.js';

const backends = { PostgreSQL: onPostgres, PGlite: onPglite };
const names = Object.keys(backends) as (keyof typeof backends)[];

(hasServers('postgres') ? describe : describe.skip).each(names)('ingestion on a full disk, with %s', (name) => {
  const { logger, lines } = recordedLog();
  let fixture: IngestionFixture;
  let service: Service;
  let tenant: TenantFixture;
  let blobsAreFull = false;

  beforeAll(async () => {
    fixture = await IngestionFixture.open(backends[name]);
    const { blobs: store } = fixture;
    const blobs: BlobStore = {
      put: async (key, bytes) => {
        if (blobsAreFull) throw new BlobStoreFullError('full', { cause: new Error('ENOSPC') });
        await store.put(key, bytes);
      },
      get: (key) => store.get(key),
      delete: (key) => store.delete(key),
    };
    service = await fixture.start({ blobs, logger });
    tenant = await fixture.newTenant('full');
    // What the server says when it can't extend a file.
    await fixture.storage.asAdmin(async (transaction) => {
      await transaction.query(`CREATE FUNCTION disk_full() RETURNS trigger LANGUAGE plpgsql
        AS $$ BEGIN RAISE disk_full USING MESSAGE = 'could not extend file'; END $$`);
      await transaction.query(`CREATE TRIGGER full_disk BEFORE INSERT ON documents
        FOR EACH ROW WHEN (new.title = 'database.txt') EXECUTE FUNCTION disk_full()`);
    });
  });
  afterAll(async () => {
    await service.close();
    await fixture.close();
  });

  const expectRefused = async (fileName: string): Promise<void> => {
    lines.length = 0;
    await expect(tenant.submit('no room', { fileName })).rejects.toMatchObject({
      code: 'unavailable',
      safeMessage: expect.stringMatching(/^The storage is full\. .*try again/),
    });
    const serious = lines.filter(({ level }) => ['warn', 'error'].includes(level));
    expect(serious).toEqual([
      {
        level: 'warn',
        message: expect.stringContaining('storage is full'),
        fields: expect.objectContaining({ code: 'unavailable', requestId: expect.stringMatching(/./) }),
      },
    ]);
  };

  it('says that the storage is full, and logs it once under the id of the request', async () => {
    await expectRefused('database.txt');
    blobsAreFull = true;
    await expectRefused('blobs.txt');
    blobsAreFull = false;
    await expect(tenant.submit('no room', { fileName: 'room.txt' })).resolves.toMatchObject({ created: true });
  });
});
