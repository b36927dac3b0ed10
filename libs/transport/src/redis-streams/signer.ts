import { hash, timingSafeEqual } from 'node:crypto';

/** Block length of SHA-256 in bytes. */
const blockBytes = 64;
const digestBytes = 32;
/** Of the length of a header. */
const lengthBytes = 4;
/** What most packets fit into. */
const roomBytes = 64 * 1024;

type Purpose = 'request' | 'reply';

interface Opened {
  header: string;
  payload: Buffer;
}

/**
 * Signs what crosses Redis with the services' shared key: whoever reaches Redis must not become any tenant.
 *
 * HMAC (RFC 2104) of two calls of the one-shot hash that give strings: `createHmac` makes objects that the garbage
 * collector has to end, four for each request, which cost a tenth of the transport's throughput, and so do its Buffers.
 */
export class Signer {
  /** The inner hash's block of the key, then room for what is signed. */
  private readonly inner = Buffer.allocUnsafeSlow(roomBytes);
  /** The outer hash's block of the key, then the inner hash. */
  private readonly outer = Buffer.allocUnsafeSlow(blockBytes + digestBytes);
  /** The last signature. */
  private readonly signature = Buffer.allocUnsafeSlow(digestBytes);

  /** @param onMismatch told of every packet that another key has signed. */
  constructor(
    key: string,
    private readonly onMismatch: () => void,
  ) {
    const bytes = Buffer.byteLength(key) > blockBytes ? hash('sha256', key, 'buffer') : Buffer.from(key);
    for (let index = 0; index < blockBytes; index += 1) {
      const byte = bytes[index] ?? 0;
      this.inner[index] = byte ^ 0x36;
      this.outer[index] = byte ^ 0x5c;
    }
  }

  /**
   * A packet as it crosses Redis: the length of the header as uint32 (little endian), the header, the payload, and the
   * HMAC-SHA256 of the purpose followed by all of that.
   */
  seal(purpose: Purpose, header: string, payload: Buffer): Buffer {
    const headerBytes = Buffer.byteLength(header);
    const end = lengthBytes + headerBytes + payload.length;
    const packet = Buffer.allocUnsafe(end + digestBytes);
    packet.writeUInt32LE(headerBytes, 0);
    packet.write(header, lengthBytes, 'utf8');
    packet.set(payload, end - payload.length);
    packet.set(this.sign(purpose, packet.subarray(0, end)), end);
    return packet;
  }

  /** What was sealed for this purpose with this key; undefined for anything else. */
  open(purpose: Purpose, packet: Buffer): Opened | undefined {
    const end = packet.length - digestBytes;
    const genuine =
      end >= lengthBytes && timingSafeEqual(this.sign(purpose, packet.subarray(0, end)), packet.subarray(end));
    if (!genuine) {
      this.onMismatch();
      return undefined;
    }
    const start = lengthBytes + packet.readUInt32LE(0);
    return { header: packet.toString('utf8', lengthBytes, start), payload: packet.subarray(start, end) };
  }

  /** The bytes are those of the next signature too, after the next call. */
  private sign(purpose: Purpose, bytes: Buffer): Buffer {
    const start = blockBytes + purpose.length;
    const end = start + bytes.length;
    const text = end <= roomBytes ? this.inner : Buffer.allocUnsafe(end);
    if (text !== this.inner) this.inner.copy(text, 0, 0, blockBytes);
    text.write(purpose, blockBytes, 'latin1');
    text.set(bytes, start);
    this.outer.write(hash('sha256', text.subarray(0, end), 'binary'), blockBytes, 'binary');
    this.signature.write(hash('sha256', this.outer, 'binary'), 'binary');
    return this.signature;
  }
}
