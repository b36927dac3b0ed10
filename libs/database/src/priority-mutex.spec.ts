import { describe, expect, it } from '@jest/globals';
import { PriorityMutex, type Priority } from './priority-mutex.js';

describe('PriorityMutex', () => {
  it('runs one piece of work at a time, interactive before bulk, each in its order', async () => {
    const mutex = new PriorityMutex();
    const log: string[] = [];
    const run = (priority: Priority, name: string) =>
      mutex.run(priority, async () => {
        log.push(`${name} begins`);
        await new Promise((resolve) => setImmediate(resolve));
        log.push(`${name} ends`);
      });
    await Promise.all([run('bulk', 'a'), run('bulk', 'b'), run('interactive', 'c'), run('interactive', 'd')]);
    expect(log).toEqual(['a', 'c', 'd', 'b'].flatMap((name) => [`${name} begins`, `${name} ends`]));
  });

  it('is free again after work that throws', async () => {
    const mutex = new PriorityMutex();
    await expect(mutex.run('bulk', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    await expect(mutex.run('bulk', async () => 1)).resolves.toBe(1);
  });
});
