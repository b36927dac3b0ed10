import { createHmac, createSecretKey, timingSafeEqual, type KeyObject } from 'node:crypto';

/** Signs what crosses Redis with the services' shared key: whoever reaches Redis must not become any tenant. */
export class Signer {
  private readonly key: KeyObject;

  /** @param onMismatch told of every packet that another key has signed. */
  constructor(
    key: string,
    private readonly onMismatch: () => void,
  ) {
    this.key = createSecretKey(Buffer.from(key));
  }

  /** HMAC-SHA256 over the purpose, the header and the payload; the header's length keeps them apart. */
  sign(purpose: 'request' | 'reply', header: string, payload: Buffer): Buffer {
    return createHmac('sha256', this.key)
      .update(`${purpose}:${Buffer.byteLength(header)}:${header}`)
      .update(payload)
      .digest();
  }

  verify(purpose: 'request' | 'reply', header: string, payload: Buffer, signature: Buffer): boolean {
    const expected = this.sign(purpose, header, payload);
    const genuine = signature.length === expected.length && timingSafeEqual(signature, expected);
    if (!genuine) this.onMismatch();
    return genuine;
  }
}
