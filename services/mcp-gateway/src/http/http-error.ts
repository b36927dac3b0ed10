import type { ServerResponse } from 'node:http';

/** The JSON-RPC code that SDKs use for a request that took too long. */
export const requestTimeoutCode = -32_001;

/** A refusal in front of the protocol: status, closed code and what to do next. */
export class HttpError extends Error {
  override readonly name = 'HttpError';
  constructor(
    readonly status: number,
    readonly code: string,
    readonly description: string,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(description);
  }
}

/** A refusal that speaks JSON-RPC, for what is wrong with a message rather than with its sender. */
export class RpcHttpError extends HttpError {
  constructor(
    status: number,
    readonly rpcCode: number,
    description: string,
    headers?: Readonly<Record<string, string>>,
    /** Of the message that is refused; null when it has none, or when it is not the only one. */
    readonly id: string | number | null = null,
  ) {
    super(status, 'invalid_request', description, headers);
  }
}

/** The answer to a defect, which the log tells more about. */
export function internalError(): HttpError {
  return new HttpError(500, 'internal_error', 'Lectern failed to answer. Report the request id to its operator.');
}

export function sendHttpError(response: ServerResponse, error: HttpError, requestId: string): void {
  for (const [name, value] of Object.entries(error.headers)) response.setHeader(name, value);
  const { code, description } = error;
  const body =
    error instanceof RpcHttpError
      ? { jsonrpc: '2.0', id: error.id, error: { code: error.rpcCode, message: description, data: { requestId } } }
      : { error: code, error_description: description, requestId };
  sendJson(response, error.status, body);
}

export function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.statusCode = status;
  response.setHeader('content-type', 'application/json');
  response.setHeader('cache-control', 'no-store');
  response.end(JSON.stringify(body));
}
