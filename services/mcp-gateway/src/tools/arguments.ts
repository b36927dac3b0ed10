import type { idSchema } from '@lectern/contracts';
import { z } from 'zod';

/** An id as callers write it: a UUID in either case. The message quotes what was given, shortened. */
export function idArgument(description: string): typeof idSchema {
  return z
    .uuid({
      error: ({ input }) => (input === undefined ? 'is missing; give a UUID' : `takes a UUID, not ${quote(input)}`),
    })
    .toLowerCase()
    .describe(description);
}

/** A question in words. */
export const queryArgument = z
  .string()
  .trim()
  .min(1, 'is empty; ask something')
  .max(8192, 'takes at most 8192 characters; ask in fewer words')
  .describe('What to look for, in words of Chinese or English: a question or key words.');

function quote(value: unknown): string {
  return typeof value === 'string' ? JSON.stringify(value.slice(0, 64).toWellFormed()) : typeof value;
}
