import { ServiceError } from '@lectern/contracts';
import { z } from 'zod';

/** Where a page of documents ended. Timestamps are Postgres' own text, since a Date has no microseconds. */
export interface Position {
  createdAt: string;
  id: string;
}

const schema = z.tuple([z.string().regex(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d+)?[+-]\d\d(:\d\d)?$/), z.uuid()]);

export function encodeCursor(position: Position): string {
  return Buffer.from(JSON.stringify([position.createdAt, position.id])).toString('base64url');
}

/** Throws `invalid_request` for anything that encodeCursor did not make. */
export function decodeCursor(cursor: string): Position {
  try {
    const [createdAt, id] = schema.parse(JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8')));
    return { createdAt, id };
  } catch (cause) {
    throw new ServiceError(
      'invalid_request',
      'cursor: takes the nextCursor of an earlier page. Leave it out to start again.',
      {
        cause,
      },
    );
  }
}
