import { HttpError } from '../http/http-error.js';

/** Longest token that is looked at. */
const maxTokenLength = 512;
const bearerPattern = /^Bearer +([A-Za-z0-9._~+/-]+=*) *$/i;

/**
 * The token of an Authorization header. Throws a 401: without an error code when no credential was sent, since the
 * client has done nothing wrong yet.
 */
export function readBearer(header: string | undefined): string {
  if (header === undefined || header.trim() === '') {
    throw new HttpError(401, 'unauthorized', 'Send Authorization: Bearer with an API token.', challenge());
  }
  const token = bearerPattern.exec(header)?.[1];
  if (token === undefined || token.length > maxTokenLength) throw invalidToken();
  return token;
}

/** The same answer for unknown, expired, revoked and malformed tokens. */
export function invalidToken(): HttpError {
  const description = 'The token is unknown, expired or revoked. Get a new one.';
  return new HttpError(
    401,
    'invalid_token',
    description,
    challenge(`error="invalid_token", error_description="${description}"`),
  );
}

/** A 403 that tells the client which scope to obtain. */
export function insufficientScope(scope: string, description: string): HttpError {
  return new HttpError(
    403,
    'insufficient_scope',
    description,
    challenge(`error="insufficient_scope", error_description="${description}", scope="${scope}"`),
  );
}

function challenge(parameters?: string): Record<string, string> {
  return { 'www-authenticate': `Bearer realm="lectern"${parameters ? `, ${parameters}` : ''}` };
}
