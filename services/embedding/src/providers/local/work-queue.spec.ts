import { describe, expect, it } from '@jest/globals';
import { ServiceError } from '@lectern/contracts';
import { Work, WorkQueue, type Priority } from './work-queue.js';

const forever = new AbortController().signal;

function work(text: string, priority: Priority = 'passage', signal = forever): Work {
  const made = new Work({ text, overlong: 'cut' }, priority, signal);
  made.reply.catch(() => undefined);
  return made;
}

async function textsOf(queue: WorkQueue, count: number): Promise<(string | undefined)[]> {
  const taken = await Promise.all(Array.from({ length: count }, () => queue.take(forever)));
  return taken.map((one) => one?.request.text);
}

describe('WorkQueue', () => {
  it('gives queries before passages, and each kind in the order of its arrival', async () => {
    const queue = new WorkQueue();
    queue.add(work('passage 1'));
    queue.add(work('query 1', 'query'));
    queue.add(work('passage 2'));
    queue.add(work('query 2', 'query'));
    expect(await textsOf(queue, 4)).toEqual(['query 1', 'query 2', 'passage 1', 'passage 2']);
  });

  it('gives what a child died with before the rest of its kind', async () => {
    const queue = new WorkQueue();
    queue.add(work('passage 1'));
    const repeated = work('repeated');
    repeated.deaths = 1;
    queue.add(repeated);
    queue.add(work('query', 'query'));
    expect(await textsOf(queue, 3)).toEqual(['query', 'repeated', 'passage 1']);
  });

  it('hands work to whoever waits longest for it', async () => {
    const queue = new WorkQueue();
    const taken = textsOf(queue, 2);
    queue.add(work('first'));
    queue.add(work('second'));
    expect(await taken).toEqual(['first', 'second']);
  });

  it('drops abandoned work, whose caller learns of it at once', async () => {
    const queue = new WorkQueue();
    const abort = new AbortController();
    const abandoned = work('abandoned', 'passage', abort.signal);
    queue.add(abandoned);
    queue.add(work('wanted'));
    abort.abort();
    await expect(abandoned.reply).rejects.toMatchObject({ code: 'timeout' });
    expect(await textsOf(queue, 1)).toEqual(['wanted']);
  });

  it('takes nothing for a child that has ended', async () => {
    const queue = new WorkQueue();
    const end = new AbortController();
    const waiting = queue.take(end.signal);
    end.abort();
    queue.add(work('kept'));
    expect(await waiting).toBeUndefined();
    expect(await queue.take(end.signal)).toBeUndefined();
    expect(await textsOf(queue, 1)).toEqual(['kept']);
  });

  it('fails all that waits', async () => {
    const queue = new WorkQueue();
    const both = [work('passage'), work('query', 'query')];
    for (const one of both) queue.add(one);
    queue.rejectAll(new ServiceError('unavailable', 'Try again.'));
    for (const one of both) await expect(one.reply).rejects.toMatchObject({ code: 'unavailable' });
  });
});
