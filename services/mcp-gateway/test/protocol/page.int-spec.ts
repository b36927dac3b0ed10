import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startGateway, type GatewayFixture } from '../gateway-fixture.js';
import { messages } from './cases.js';
import { eras } from './eras.js';
import { interruptions } from './interruptions.js';
import { readRows } from './page.js';
import { post } from './wire.js';

// docs/PROTOCOL.md says what is answered; each of its cells is held against the server here.
const rows = readRows();
const cells = (titles: object) =>
  rows
    .filter(({ title }) => Object.hasOwn(titles, title))
    .flatMap((row) => eras.map((era) => ({ title: row.title, era, client: era.client, cell: row[era.column] })));

describe('docs/PROTOCOL.md', () => {
  it('has one row for each case that is tested, and no other', () => {
    const titles = [...Object.keys(messages), ...Object.keys(interruptions)];
    expect(rows.map(({ title }) => title).toSorted()).toEqual(titles.toSorted());
  });
});

describe('a message', () => {
  let gateway: GatewayFixture;
  let admin: string;
  let reader: string;
  beforeAll(async () => {
    gateway = await startGateway();
    [admin, reader] = [await gateway.token('kb:admin'), await gateway.token('kb:read')];
  });
  afterAll(() => gateway.close());

  it.each(cells(messages))('with $title from $client is answered as the page says', async ({ title, era, cell }) => {
    const asked = gateway.journal.requests.length;
    expect(await post(gateway.url, admin, messages[title]!(era, reader)).answer).toBe(cell);
    // What is refused has reached no service.
    const isAnswered = /^`200`(, result)+$/.test(cell);
    expect(gateway.journal.requests.length > asked).toBe(isAnswered);
  });
});

describe.each(Object.entries(interruptions))('%s', (title, { timeoutSeconds, inStream, observe }) => {
  let gateway: GatewayFixture;
  beforeAll(async () => {
    gateway = await startGateway({ MCP_REQUEST_TIMEOUT_SECONDS: String(timeoutSeconds) });
  });
  afterAll(() => gateway.close());

  const reached = cells({ [title]: true }).filter(({ era }) => era.streams || !inStream);
  it.each(reached)('ends for $client as the page says', async ({ era, cell }) => {
    expect(await observe(gateway, era)).toBe(cell);
  });
});
