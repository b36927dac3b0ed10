import { describe, expect, it } from '@jest/globals';
import { decodeCursor, encodeCursor } from './cursor.js';

const position = { createdAt: 1_764_547_200_123_457, id: '01938f5e-6b7a-7c3d-8e9f-0123456789ab' };

describe('a cursor', () => {
  it('keeps the position to the microsecond', () => {
    expect(decodeCursor(encodeCursor(position))).toEqual(position);
  });

  it('is refused when one character of it was changed', () => {
    const cursor = encodeCursor(position);
    for (let index = 0; index < cursor.length; index += 1) {
      const changed = `${cursor.slice(0, index)}${cursor[index] === 'A' ? 'B' : 'A'}${cursor.slice(index + 1)}`;
      expect(() => decodeCursor(changed)).toThrow('nextCursor');
    }
  });

  it.each(['x', '💥', 'bnVsbA', Buffer.from('[1,"x",2]').toString('base64url'), `${encodeCursor(position)}=`])(
    'is refused when it is something else: %s',
    (cursor) => {
      expect(() => decodeCursor(cursor)).toThrow(expect.objectContaining({ code: 'invalid_request' }));
    },
  );
});
