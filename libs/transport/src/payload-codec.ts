/** Largest payload in bytes, of a request and of a reply. */
export const maxPayloadBytes = 1024 * 1024;

const vectorKey = '$float32';

/**
 * A payload as bytes: the length of the JSON text as uint32 (little endian), the text, then the float32 values of every
 * vector, which the text points to by position and length.
 */
export function encodePayload(value: unknown): Buffer {
  const vectors: Float32Array[] = [];
  let count = 0;
  const text = JSON.stringify(value, (_key, field: unknown) => {
    if (!(field instanceof Float32Array)) return field;
    vectors.push(field);
    count += field.length;
    return { [vectorKey]: [count - field.length, field.length] };
  });
  const json = Buffer.from(text, 'utf8');
  const length = Buffer.allocUnsafe(4);
  length.writeUInt32LE(json.length);
  const bytes = vectors.map((vector) => Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength));
  return Buffer.concat([length, json, ...bytes]);
}

/** Throws a SyntaxError or RangeError when the bytes are no payload. */
export function decodePayload(bytes: Buffer): unknown {
  const end = 4 + bytes.readUInt32LE(0);
  if (end > bytes.length) throw new RangeError('payload is cut');
  const text = bytes.toString('utf8', 4, end);
  if (end === bytes.length) return JSON.parse(text);
  // A copy, since float32 values must begin at a multiple of four.
  const floats = new Float32Array(new Uint8Array(bytes.subarray(end)).buffer);
  return JSON.parse(text, (_key, field: unknown) => {
    if (typeof field !== 'object' || field === null || !(vectorKey in field)) return field;
    const [start, length] = field[vectorKey] as [number, number];
    return floats.slice(start, start + length);
  });
}
