import { describe, expect, it } from '@jest/globals';
import { CallEnd } from './call-end.js';

describe('CallEnd', () => {
  const [first, second] = [new Error('first'), new Error('second')];

  it('ends once, with the first reason, for its listener and its signal', () => {
    const end = new CallEnd();
    const told: Error[] = [];
    end.onEnd = (reason) => told.push(reason);
    const { signal } = end;
    expect([end.reason, signal.aborted]).toEqual([undefined, false]);
    end.end(first);
    end.end(second);
    expect(told).toEqual([first]);
    expect([end.reason, signal.reason]).toEqual([first, first]);
  });

  it('gives a signal that has aborted to whoever asks for it after the end', () => {
    const end = new CallEnd();
    end.end(first);
    expect([end.signal.aborted, end.signal.reason]).toEqual([true, first]);
  });
});
