import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { isJsonContentType } from '@modelcontextprotocol/server';
import { requestTimeoutCode, RpcHttpError } from '../http/http-error.js';
import type { RequestTime } from '../http/request-time.js';

/** Largest body that is read, in bytes. */
export const maxBodyBytes = 4 * 1024 * 1024;

/** Reads and parses a body of bounded size in bounded time. Throws an {@link RpcHttpError} of status 400, 413, 415 or 504. */
export async function readJson(request: IncomingMessage, time: RequestTime): Promise<unknown> {
  if (!isJsonContentType(request.headers['content-type'] ?? null)) {
    throw new RpcHttpError(415, -32_000, 'Unsupported Media Type: send Content-Type: application/json.');
  }
  const text = await time.bound(readText(request)).catch((error: unknown) => {
    throw time.isPastDeadline ? tooSlow() : error;
  });
  try {
    return JSON.parse(text);
  } catch {
    throw new RpcHttpError(400, -32_700, 'Parse error: the body is not valid JSON.');
  }
}

async function readText(request: IncomingMessage): Promise<string> {
  if (Number(request.headers['content-length'] ?? 0) > maxBodyBytes) throw tooLarge();
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > maxBodyBytes) throw tooLarge();
    chunks.push(chunk);
  }
  const bytes = Buffer.concat(chunks);
  // Decoding would put U+FFFD for what it can't read, and a document would be stored with holes.
  if (!isUtf8(bytes)) {
    throw new RpcHttpError(
      400,
      -32_700,
      'Parse error: the body is not UTF-8. Convert the text to UTF-8 and send it again.',
    );
  }
  return bytes.toString('utf8');
}

/** The connection ends with the answer, since the rest of the body is not read. */
function tooLarge(): RpcHttpError {
  return new RpcHttpError(413, -32_000, `Payload Too Large: a body has at most ${maxBodyBytes} bytes.`, {
    connection: 'close',
  });
}

function tooSlow(): RpcHttpError {
  return new RpcHttpError(504, requestTimeoutCode, 'The body did not arrive in time. Send it again, or send less.', {
    connection: 'close',
  });
}
