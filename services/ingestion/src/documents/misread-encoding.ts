/** Share of characters beside others of their kind, above which bytes of Chinese are at work and no accents. */
const pairedShare = 0.9;
/** Characters that make up a coincidence at the most. */
const few = 3;

/** Byte of every character that a reading as Latin-1, which most programs take for Windows-1252, makes of one. */
const byteOf = new Map<string, number>();
for (let byte = 0x80; byte <= 0xff; byte += 1) {
  byteOf.set(String.fromCharCode(byte), byte);
  byteOf.set(new TextDecoder('windows-1252').decode(Uint8Array.of(byte)), byte);
}

/**
 * The encoding that a text really had before somebody read its bytes as Latin-1 ("ÄãºÃ" or "ä½ å¥½" for 你好); undefined
 * for a text that is what it seems.
 */
export function misreadEncoding(text: string): 'UTF-8' | 'GBK' | undefined {
  const bytes = latin1Bytes(text);
  if (!bytes) return undefined;
  if (new Set(decode('utf-8', bytes)?.match(/[^\0-\x7f]/gu)).size > 1) return 'UTF-8';
  const high = text.match(/[^\0-\x7f]+/g) ?? [];
  const paired = high.filter((run) => run.length > 1).join('').length;
  if (paired < pairedShare * high.join('').length) return undefined;
  return new Set(decode('gbk', bytes)?.match(/\p{Script=Han}/gu)).size > few ? 'GBK' : undefined;
}

/** Undefined when the text holds a character that Latin-1 has not, or has ASCII alone. */
function latin1Bytes(text: string): Uint8Array | undefined {
  const bytes = new Uint8Array(text.length);
  let isAscii = true;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    const byte = code < 0x80 ? code : byteOf.get(text[index]!);
    if (byte === undefined) return undefined;
    isAscii &&= code < 0x80;
    bytes[index] = byte;
  }
  return isAscii ? undefined : bytes;
}

function decode(encoding: string, bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
