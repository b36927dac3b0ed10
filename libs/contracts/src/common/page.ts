import { z } from 'zod';

/** Opaque position in a list; only a cursor that an answer gave is valid. */
export const cursorSchema = z.string().min(1).max(512);

export const pageRequest = {
  cursor: cursorSchema.optional().describe('nextCursor of the previous page.'),
  limit: z.number().int().min(1).max(200).default(50).describe('Items on a page, 1 to 200.'),
};

export const pageResponse = {
  nextCursor: cursorSchema.optional().describe('Present when there are more items: pass it as cursor.'),
};
