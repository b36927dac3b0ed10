import { createHmac, randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { Signer } from './signature.js';

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
      const expected = createHmac('sha256', key)
        .update(`request:${Buffer.byteLength(header)}:${header}`)
        .update(payload)
        .digest();
      expect(signer.sign('request', header, payload).equals(expected)).toBe(true);
    }
  });

  it('fits no other purpose, header, payload or key, and tells of each', () => {
    let mismatches = 0;
    const signer = new Signer('one key', () => (mismatches += 1));
    const signature = signer.sign('request', 'header', Buffer.from('payload'));
    expect(signer.verify('request', 'header', Buffer.from('payload'), signature)).toBe(true);
    const other = new Signer('another key', () => undefined).sign('request', 'header', Buffer.from('payload'));
    for (const genuine of [
      signer.verify('reply', 'header', Buffer.from('payload'), signature),
      signer.verify('request', 'heade', Buffer.from('rpayload'), signature),
      signer.verify('request', 'header', Buffer.from('payloa'), signature),
      signer.verify('request', 'header', Buffer.from('payload'), signature.subarray(1)),
      signer.verify('request', 'header', Buffer.from('payload'), other),
    ]) {
      expect(genuine).toBe(false);
    }
    expect(mismatches).toBe(5);
  });
});
