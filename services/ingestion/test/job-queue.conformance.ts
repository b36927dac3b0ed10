import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '@lectern/testing';
import type { JobPointer, JobQueue, JobQueueOptions } from '../src/jobs/job-queue.js';

export interface QueueFixture {
  /** A queue on the same jobs as its siblings of the fixture, if the implementation has such. */
  open(options: JobQueueOptions): Promise<JobQueue>;
  close(): Promise<void>;
}

const options: JobQueueOptions = { concurrency: 1, attempts: 3, backOff: { firstMs: 10, longestMs: 40 } };
const tenantId = '00000000-0000-7000-8000-000000000001';

function job(name: string): JobPointer {
  return { tenantId, jobId: name };
}

/** A promise and what settles it. */
function gate(): { opened: Promise<void>; open: () => void } {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

/** What every queue of jobs has to do. */
export function describeJobQueue(name: string, start: () => Promise<QueueFixture>): void {
  describe(`the ${name} job queue`, () => {
    let fixture: QueueFixture;
    beforeEach(async () => {
      fixture = await start();
    });
    afterEach(() => fixture.close());

    it('hands every job to the handler once, as a pointer', async () => {
      const queue = await fixture.open(options);
      const seen: JobPointer[] = [];
      queue.work(async (pointer) => void seen.push(pointer));
      await Promise.all(['a', 'b', 'c'].map((id) => queue.enqueue(job(id), 1)));
      await eventually('three jobs', () => seen.length >= 3);
      await queue.close();
      expect(seen.toSorted((x, y) => x.jobId.localeCompare(y.jobId))).toEqual([job('a'), job('b'), job('c')]);
    });

    it('starts lower priority numbers first and equal ones in their order', async () => {
      const queue = await fixture.open(options);
      for (const [id, priority] of [
        ['third', 5],
        ['fourth', 5],
        ['last', 900],
        ['first', 1],
        ['second', 2],
      ] as const) {
        await queue.enqueue(job(id), priority);
      }
      const seen: string[] = [];
      queue.work(async ({ jobId }) => void seen.push(jobId));
      await eventually('five jobs', () => seen.length === 5);
      await queue.close();
      expect(seen).toEqual(['first', 'second', 'third', 'fourth', 'last']);
    });

    it('runs as many jobs at once as it may, and no more', async () => {
      const queue = await fixture.open({ ...options, concurrency: 2 });
      const { opened, open } = gate();
      let running = 0;
      let most = 0;
      let done = 0;
      queue.work(async () => {
        running += 1;
        most = Math.max(most, running);
        await opened;
        running -= 1;
        done += 1;
      });
      for (const id of ['a', 'b', 'c', 'd']) await queue.enqueue(job(id), 1);
      await eventually('two running jobs', () => running === 2);
      open();
      await eventually('four done jobs', () => done === 4);
      await queue.close();
      expect(most).toBe(2);
    });

    it('takes a job that it has, waiting or running, no second time, and a finished one again', async () => {
      const queue = await fixture.open(options);
      const { opened, open } = gate();
      let runs = 0;
      await queue.enqueue(job('a'), 1);
      await queue.enqueue(job('a'), 1);
      queue.work(async () => {
        runs += 1;
        await opened;
      });
      await eventually('the job runs', () => runs === 1);
      await queue.enqueue(job('a'), 1);
      await queue.enqueue(job('b'), 1);
      open();
      await eventually('both ran', () => runs === 2);
      await eventually('a finished job is taken again', async () => {
        await queue.enqueue(job('a'), 1);
        return runs === 3;
      });
      await queue.close();
    });

    it('tries a failing job again, up to its attempts, while others go on', async () => {
      const queue = await fixture.open(options);
      const runs: string[] = [];
      queue.work(async ({ jobId }) => {
        runs.push(jobId);
        if (jobId === 'bad') throw new Error('fails');
      });
      await queue.enqueue(job('bad'), 1);
      await queue.enqueue(job('good'), 1);
      await eventually('three tries', () => runs.filter((id) => id === 'bad').length === 3);
      await eventually('the other job', () => runs.includes('good'));
      await eventually('a job that was given up can come back', async () => {
        await queue.enqueue(job('bad'), 1);
        return runs.filter((id) => id === 'bad').length > 3;
      });
      await queue.close();
    });

    it('drops a waiting job that is cancelled, and aborts a running one for good', async () => {
      const queue = await fixture.open(options);
      const seen: string[] = [];
      let aborted = false;
      queue.work(async ({ jobId }, signal) => {
        seen.push(jobId);
        if (jobId !== 'running') return;
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
        aborted = signal.reason instanceof Error;
        throw signal.reason;
      });
      await queue.enqueue(job('running'), 1);
      await eventually('the job runs', () => seen.length === 1);
      await queue.enqueue(job('waiting'), 1);
      await queue.cancel('waiting');
      await queue.cancel('unknown');
      await queue.cancel('running');
      await queue.enqueue(job('next'), 1);
      await eventually('the next job', () => seen.includes('next'));
      await queue.close();
      expect({ aborted, seen }).toEqual({ aborted: true, seen: ['running', 'next'] });
    });

    it('aborts the running jobs when it closes, and waits for them', async () => {
      const queue = await fixture.open(options);
      const { opened, open } = gate();
      const events: string[] = [];
      queue.work(async (_pointer, signal) => {
        events.push('started');
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
        events.push('aborted');
        await opened;
        events.push('ended');
        throw signal.reason;
      });
      await queue.enqueue(job('a'), 1);
      await queue.enqueue(job('never'), 1);
      await eventually('the job runs', () => events.length === 1);
      const closed = queue.close().then(() => events.push('closed'));
      await eventually('the job is aborted', () => events.includes('aborted'));
      open();
      await closed;
      expect(events).toEqual(['started', 'aborted', 'ended', 'closed']);
      expect(await queue.isConnected()).toBe(false);
    });
  });
}
