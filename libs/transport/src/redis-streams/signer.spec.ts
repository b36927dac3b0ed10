import { createHmac, randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { Signer } from './signer.js';

describe('the signature of a packet', () => {
  it.each([
    ['short', 'a key of at least thirty-two characters', 0],
    ['of a block', 'k'.repeat(64), 100],
    ['longer than a block', '钥匙'.repeat(40), 65_000],
    ['for a large packet', 'a key of at least thirty-two characters', 1024 * 1024],
  ])('is HMAC-SHA256 with a key %s', (_, key, bytes) => {
    const signer = new Signer(key, () => undefined);
    for (const size of [bytes, 10, bytes]) {
      const [header, payload] = [JSON.stringify({ subject: '租户' }), randomBytes(size)];
      const length = Buffer.alloc(4);
      length.writeUInt32LE(Buffer.byteLength(header));
      const body = Buffer.concat([length, Buffer.from(header), payload]);
      const signature = createHmac('sha256', key).update('request').update(body).digest();
      const packet = signer.seal('request', header, payload);
      expect(packet.equals(Buffer.concat([body, signature]))).toBe(true);
      const opened = signer.open('request', packet);
      expect([opened?.header, opened?.payload.equals(payload)]).toEqual([header, true]);
    }
  });

  it('fits no other purpose, content or key, and tells of each', () => {
    let mismatches = 0;
    const signer = new Signer('one key', () => (mismatches += 1));
    const packet = signer.seal('request', 'header', Buffer.from('payload'));
    const changed = Array.from(packet, (byte, index) => {
      const copy = Buffer.from(packet);
      copy[index] = byte ^ 1;
      return copy;
    });
    const cut = [0, 1, 3, 4, 31, 35, 36, packet.length - 1].map((bytes) => packet.subarray(0, bytes));
    const strange = [
      new Signer('another key', () => undefined).seal('request', 'header', Buffer.from('payload')),
      signer.seal('reply', 'header', Buffer.from('payload')),
      packet.subarray(1),
      Buffer.concat([packet, packet]),
    ];
    const forged = [...changed, ...cut, ...strange];
    for (const bytes of forged) expect(signer.open('request', bytes)).toBeUndefined();
    expect(mismatches).toBe(forged.length);
    expect(signer.open('request', packet)?.header).toBe('header');
  });
});
