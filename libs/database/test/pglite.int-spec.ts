import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ensureTenant, openPglite, type EmbeddedDatabase } from '@lectern/database';
import { seedDocument } from './seed.js';

describe('openPglite', () => {
  let directory: string;
  let embedded: EmbeddedDatabase;
  let tenant: string;

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'lectern-pglite-'));
    embedded = await openPglite({ dataDir: directory });
    await embedded.migrate();
    tenant = await embedded.asAdmin((transaction) => ensureTenant(transaction, 'one'));
    await seedDocument(embedded.forRole('ingestion'), tenant);
  });
  afterAll(async () => {
    await embedded.close();
    rmSync(directory, { recursive: true, force: true });
  });

  it('finds its data when it is opened again, and has nothing to migrate', async () => {
    await embedded.close();
    embedded = await openPglite({ dataDir: directory });
    expect(await embedded.migrate()).toEqual([]);
    const retrieval = embedded.forRole('retrieval');
    await expect(retrieval.assertSchema()).resolves.toBeUndefined();
    const chunks = await retrieval.withTenant(tenant, (transaction) =>
      transaction.query('SELECT ordinal FROM chunks ORDER BY ordinal'),
    );
    expect(chunks).toEqual([{ ordinal: 0 }, { ordinal: 1 }]);
  });

  it('refuses a data folder that a newer release has migrated', async () => {
    const newer = await openPglite();
    await newer.migrate();
    await newer.asAdmin((transaction) =>
      transaction.query("INSERT INTO schema_migrations (version, name) VALUES (1000, 'future')"),
    );
    await expect(newer.migrate()).rejects.toThrow(/newer than this release.*Use the release that/);
    await newer.close();
  });

  it('leaves the event loop free while a statement runs', async () => {
    let turns = 0;
    const counting = setInterval(() => (turns += 1), 1);
    await embedded
      .forRole('retrieval')
      .withTenant(tenant, (transaction) =>
        transaction.query('SELECT count(*) AS count FROM generate_series(1, 1000000)'),
      );
    clearInterval(counting);
    expect(turns).toBeGreaterThan(5);
  });

  it('answers a search before the ingestion that has been waiting longer', async () => {
    const order: string[] = [];
    const note = (role: 'ingestion' | 'retrieval', name: string) =>
      embedded.forRole(role).withTenant(tenant, async () => void order.push(name));
    await Promise.all([note('ingestion', 'running'), note('ingestion', 'waiting'), note('retrieval', 'search')]);
    expect(order).toEqual(['running', 'search', 'waiting']);
  });

  it('is clean after a transaction that could not open', async () => {
    const early = await openPglite();
    await expect(early.forRole('retrieval').withTenant(tenant, async () => 1)).rejects.toThrow(/does not exist/);
    await expect(early.forRole('retrieval').assertSchema()).rejects.toThrow(/version 0/);
    await early.migrate();
    await expect(early.forRole('retrieval').withTenant(tenant, async () => 1)).resolves.toBe(1);
    await early.close();
    await expect(early.forRole('retrieval').ping()).rejects.toThrow(/has ended/);
  });
});
