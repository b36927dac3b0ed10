import { createHmac, randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { createLogger } from '@lectern/telemetry';
import { eventually } from '@lectern/testing';
import { caller, dropped, FaultFixture, key, outcome, prefix, stream } from './fault-fixture.js';
import { echo, echoOnce } from './operations.js';

describe('a packet in a request stream', () => {
  let fixture: FaultFixture;

  beforeEach(async () => {
    fixture = await FaultFixture.start();
  });
  afterEach(() => fixture.close());

  const header = (overrides: object = {}): string =>
    JSON.stringify({
      id: randomUUID(),
      operation: echo.name,
      caller,
      trace: {},
      replyTo: `${prefix}:rep:nobody`,
      expiresAt: Date.now() + 60_000,
      ...overrides,
    });
  const add = (packet: Buffer): Promise<unknown> => fixture.redis.xadd(stream, '*', 'p', packet);

  it('is refused when its caller is forged, its payload changed, when it is late, comes twice or is none', async () => {
    const { journal, metrics } = await fixture.startReplica('one');
    const payload = packetPayload({ text: 'genuine', delayMs: 0 });
    const genuine = header();
    await add(sealed(genuine, payload));
    await eventually('the genuine one to run', () => journal.started.length === 1);
    await add(sealed(genuine, payload));
    await eventually('the replay to be refused', async () => (await dropped(metrics, 'replayed')) === 1);

    const stranger = { ...caller, tenantId: randomUUID() };
    const signature = sealed(genuine, payload).subarray(-32);
    await add(sealed(header({ caller: stranger }), payload, signature));
    await add(sealed(genuine, packetPayload({ text: 'changed', delayMs: 0 }), signature));
    await add(sealed(genuine, payload, Buffer.alloc(0)));
    await eventually('the forged ones to be refused', async () => (await dropped(metrics, 'forged')) === 3);

    const late = header({ expiresAt: Date.now() - 1000 });
    await add(sealed(late, payload));
    await eventually('the expired one to be refused', async () => (await dropped(metrics, 'expired')) === 1);
    await fixture.redis.xadd(stream, '*', 'nonsense', 'x');
    await eventually('nonsense to be refused', async () => (await dropped(metrics, 'malformed')) === 1);
    expect(journal.started).toEqual(['genuine']);
    await fixture.expectNothingLeft();
  });

  it('that must not run twice does not run again at a replica that has not seen it', async () => {
    const first = await fixture.startReplica('first');
    const [payload, genuine] = [packetPayload({ text: 'once', delayMs: 0 }), header({ operation: echoOnce.name })];
    await add(sealed(genuine, payload));
    await eventually('it to run', () => first.journal.started.length === 1);
    await first.close();
    const second = await fixture.startReplica('second');
    await add(sealed(genuine, payload));
    await fixture.expectNothingLeft();
    expect(second.journal.started).toEqual([]);
  });

  it('of another key is refused, and the log says what to look at', async () => {
    const warn = jest.fn<(message: string) => void>();
    const logger = Object.assign(Object.create(createLogger({ service: 'test', level: 'silent' })), { warn });
    const { journal, metrics } = await fixture.startReplica('one', {
      key: 'a key that nobody else has, of course',
      logger,
    });
    expect(await outcome(fixture.call('hello', 0, 500))).toBe('timeout');
    expect(await outcome(fixture.call('hello', 0, 500))).toBe('timeout');
    expect(await dropped(metrics, 'forged')).toBe(2);
    expect(journal.started).toEqual([]);
    expect(warn.mock.calls).toEqual([[expect.stringMatching(/needs the same key/)]]);
  });
});

/** A payload as the transport encodes it. */
function packetPayload(value: object): Buffer {
  return withLength(JSON.stringify(value));
}

/** A request as it crosses Redis, with its own signature or another one. */
function sealed(header: string, payload: Buffer, signature?: Buffer): Buffer {
  const body = Buffer.concat([withLength(header), payload]);
  return Buffer.concat([body, signature ?? createHmac('sha256', key).update('request').update(body).digest()]);
}

/** The length of a text as uint32 (little endian), then the text. */
function withLength(text: string): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32LE(Buffer.byteLength(text));
  return Buffer.concat([length, Buffer.from(text)]);
}
