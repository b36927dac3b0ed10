/** Largest payload in bytes, of a request and of a reply. */
export const maxPayloadBytes = 1024 * 1024;

/** Of the length of the JSON text. */
const lengthBytes = 4;
const vectorKey = '$float32';

/**
 * A payload as bytes: the length of the JSON text as uint32 (little endian), the text, then the float32 values of every
 * vector, which the text points to by position and length.
 */
export function encodePayload(value: unknown): Buffer {
  const vectors: Float32Array[] = [];
  // Most payloads hold none, and text is written faster without a replacer.
  const text = holdsVector(value) ? JSON.stringify(value, vectorsInto(vectors)) : JSON.stringify(value);
  const textBytes = Buffer.byteLength(text);
  let end = lengthBytes + textBytes;
  const payload = Buffer.allocUnsafe(vectors.reduce((bytes, { byteLength }) => bytes + byteLength, end));
  payload.writeUInt32LE(textBytes, 0);
  payload.write(text, lengthBytes, 'utf8');
  for (const { buffer, byteOffset, byteLength } of vectors) {
    payload.set(new Uint8Array(buffer, byteOffset, byteLength), end);
    end += byteLength;
  }
  return payload;
}

/** Throws a SyntaxError or RangeError when the bytes are no payload. */
export function decodePayload(bytes: Buffer): unknown {
  const end = lengthBytes + bytes.readUInt32LE(0);
  if (end > bytes.length) throw new RangeError('payload is cut');
  const text = bytes.toString('utf8', lengthBytes, end);
  if (end === bytes.length) return JSON.parse(text);
  // A copy, since float32 values must begin at a multiple of four.
  const floats = new Float32Array(new Uint8Array(bytes.subarray(end)).buffer);
  return JSON.parse(text, (_key, field: unknown) => {
    if (typeof field !== 'object' || field === null || !(vectorKey in field)) return field;
    const [start, length] = field[vectorKey] as [number, number];
    return floats.slice(start, start + length);
  });
}

function holdsVector(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return value instanceof Float32Array || Object.values(value).some(holdsVector);
}

/** A replacer that puts the vectors into the list, and in their places what points to them. */
function vectorsInto(vectors: Float32Array[]): (key: string, field: unknown) => unknown {
  let count = 0;
  return (_key, field) => {
    if (!(field instanceof Float32Array)) return field;
    vectors.push(field);
    count += field.length;
    return { [vectorKey]: [count - field.length, field.length] };
  };
}
