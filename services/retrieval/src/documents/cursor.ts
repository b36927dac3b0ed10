import { crc32 } from 'node:zlib';
import { ServiceError } from '@lectern/contracts';
import { z } from 'zod';

/** Where a page of documents ended. */
export interface Position {
  /** Microseconds since 1970, as PostgreSQL keeps them; a Date has milliseconds only. */
  createdAt: number;
  id: string;
}

const schema = z.tuple([z.int().nonnegative(), z.uuid(), z.int()]);

export function encodeCursor({ createdAt, id }: Position): string {
  return Buffer.from(JSON.stringify([createdAt, id, checksum(createdAt, id)])).toString('base64url');
}

/** Throws `invalid_request` for anything that encodeCursor did not make. */
export function decodeCursor(cursor: string): Position {
  try {
    const [createdAt, id, sum] = schema.parse(JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8')));
    const position = { createdAt, id };
    if (sum === checksum(createdAt, id) && encodeCursor(position) === cursor) return position;
  } catch {
    // Not even the form of a cursor.
  }
  throw new ServiceError(
    'invalid_request',
    'cursor: takes the nextCursor of an earlier page. Leave it out to start again.',
  );
}

/** Tells a damaged cursor from a real one. A forged one would do no harm: a page holds rows of the caller's tenant only. */
function checksum(createdAt: number, id: string): number {
  return crc32(`${createdAt} ${id}`);
}
