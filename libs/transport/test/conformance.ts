import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type ServiceError } from '@lectern/contracts';
import { eventually, testCaller } from '@lectern/testing';
import { startMicroservice, type RunningMicroservice, type Transport } from '@lectern/transport';
import { z } from 'zod';
import { echoService, Journal } from './echo-service.js';
import { echo, echoInBulk, echoOnce, unanswered, vectors } from './operations.js';

export interface Harness {
  /** A transport with two interactive slots, one bulk slot and room for four waiting requests a lane. */
  transport: Transport;
  close(): Promise<void>;
}

const tenantId = '01890000-0000-7000-8000-000000000001';
const caller = testCaller(tenantId);

/** What every transport has to do. */
export function describeTransport(name: string, open: () => Promise<Harness>): void {
  describe(`the ${name} transport`, () => {
    let harness: Harness;
    let service: RunningMicroservice;
    let journal: Journal;

    beforeEach(async () => {
      harness = await open();
      journal = new Journal();
      service = await startMicroservice(echoService(journal), harness.transport.serverFor('retrieval'));
    });
    afterEach(async () => {
      await service.close();
      await harness.close();
    });

    const call = (text: string, delayMs = 0, signal?: AbortSignal) =>
      harness.transport.client.call(echo, { text, delayMs }, { caller, signal });
    const failure = (work: Promise<unknown>): Promise<ServiceError> =>
      work.then(
        () => Promise.reject(new Error('it did not fail')),
        (error: ServiceError) => error,
      );

    it('carries a request, its caller and the defaults of its contract', async () => {
      const answer = await harness.transport.client.call(echo, {}, { caller });
      expect(answer).toEqual({ text: 'default', tenantId, replica: 'one' });
    });

    it('carries any text', async () => {
      const text = '汉字 🧑‍🚀 é \u0000 "\\';
      expect((await call(text)).text).toBe(text);
    });

    it('carries vectors bit by bit', async () => {
      const list = [new Float32Array([0.1, -2, 3e-20]), new Float32Array([]), new Float32Array([7])];
      const answer = await harness.transport.client.call(vectors, { list, note: '注' }, { caller });
      expect(answer).toEqual({ list, note: '注' });
    });

    it('answers concurrent requests each with its own reply', async () => {
      const texts = Array.from({ length: 4 }, (_, index) => `text ${index}`);
      const answers = await Promise.all(texts.map((text, index) => call(text, 40 - index * 10)));
      expect(answers.map((answer) => answer.text)).toEqual(texts);
    });

    it('refuses a request against its contract before it leaves', async () => {
      const error = await failure(harness.transport.client.call(echo, { text: 3 } as never, { caller }));
      expect(error.code).toBe('invalid_request');
      expect(error.safeMessage).toMatch(/^text: /);
      expect(journal.started).toEqual([]);
    });

    it('reports an answer against the contract as a defect', async () => {
      const newer = { ...echo, response: echo.response.extend({ added: z.string() }) };
      const error = await failure(harness.transport.client.call(newer, {}, { caller }));
      expect(error).toMatchObject({ name: 'ServiceError', code: 'internal' });
    });

    it('hands a service error on with its details', async () => {
      const error = await failure(call('refuse'));
      expect(error).toMatchObject({ code: 'conflict', safeMessage: 'It is there already.', details: { field: 'x' } });
    });

    it('hides every other error behind an id', async () => {
      const error = await failure(call('break'));
      expect(error.code).toBe('internal');
      expect(JSON.stringify(error.toWire())).not.toContain('secret');
      expect(error.details?.errorId).toMatch(/^[0-9a-f-]{36}$/);
    });

    it('answers an operation that nobody handles', async () => {
      const error = await failure(harness.transport.client.call(unanswered, {}, { caller }));
      expect(error.code).toBe('invalid_request');
    });

    it('ends a call at its deadline and tells the handler', async () => {
      const work = harness.transport.client.call(
        echo,
        { text: 'slow', delayMs: 4000 },
        { caller, deadline: Date.now() + 150 },
      );
      expect((await failure(work)).code).toBe('timeout');
      await eventually('the handler to be aborted', () => journal.aborted.includes('slow'));
    });

    it('says that the outcome is unknown when a call that must not run twice is late', async () => {
      const work = harness.transport.client.call(echoOnce, { delayMs: 4000 }, { caller, deadline: Date.now() + 150 });
      expect((await failure(work)).code).toBe('outcome_unknown');
    });

    it('aborts the handler when the caller is gone', async () => {
      const abort = new AbortController();
      const work = call('left', 4000, abort.signal);
      await eventually('the handler to start', () => journal.started.includes('left'));
      abort.abort();
      await failure(work);
      await eventually('the handler to be aborted', () => journal.aborted.includes('left'));
    });

    it('never runs a request whose deadline passed while it waited', async () => {
      const busy = [call('a', 400), call('b', 400)];
      await eventually('both slots to be taken', () => journal.started.length === 2);
      const late = harness.transport.client.call(echo, { text: 'late' }, { caller, deadline: Date.now() + 100 });
      expect((await failure(late)).code).toBe('timeout');
      await Promise.all(busy);
      await call('after');
      expect(journal.started).not.toContain('late');
    });

    it('refuses at once, with a time to come back, when too many wait', async () => {
      const busy = Array.from({ length: 12 }, (_, index) =>
        call(`busy ${index}`, 300).catch((error: ServiceError) => error),
      );
      const refused = (await Promise.all(busy)).filter((answer): answer is ServiceError => answer instanceof Error);
      expect(refused.length).toBeGreaterThan(0);
      for (const error of refused) expect(error).toMatchObject({ code: 'unavailable', retryAfterMs: 1000 });
      expect((await call('after')).text).toBe('after');
    });

    it('keeps slots for interactive requests while bulk ones wait', async () => {
      const bulk = Array.from({ length: 3 }, (_, index) =>
        harness.transport.client.call(echoInBulk, { text: `bulk ${index}`, delayMs: 300 }, { caller }),
      );
      await eventually('bulk work to start', () => journal.started.length === 1);
      await call('person');
      expect(journal.started).toEqual(['bulk 0', 'person']);
      await Promise.all(bulk);
    });

    it('refuses what is too large to carry', async () => {
      const error = await failure(call('汉'.repeat(400_000)));
      expect(error).toMatchObject({ code: 'invalid_request' });
      expect(error.safeMessage).toMatch(/bytes/);
    });

    it('lets running requests end when the service stops', async () => {
      const work = call('last', 300);
      await eventually('the handler to start', () => journal.started.includes('last'));
      await service.close();
      expect((await work).text).toBe('last');
    });
  });
}
