/** A PostgreSQL server could not be used; the message says why, and which address, database or login was tried. */
export class DatabaseConnectionError extends Error {
  override readonly name = 'DatabaseConnectionError';
}

/**
 * Puts the failure of a first connection into a sentence for whoever set the URL.
 * Codes: https://www.postgresql.org/docs/current/errcodes-appendix.html
 */
export function connectionFault(error: unknown, url: string): DatabaseConnectionError {
  const { code = '', message } = error as { code?: string; message: string };
  const target = new URL(url);
  const server = `${target.hostname || 'localhost'}:${target.port || '5432'}`;
  const database = decodeURIComponent(target.pathname.slice(1));
  const login = decodeURIComponent(target.username);
  const sentence = ((): string => {
    if (code === '3D000')
      return `the server at ${server} has no database "${database}": make it with "createdb -h ${target.hostname || 'localhost'} -p ${target.port || '5432'} -U ${login || 'postgres'} ${database}"`;
    if (code.startsWith('28')) return `the server at ${server} does not let "${login}" in (${message})`;
    // A code of five characters comes from the server itself.
    if (/^[0-9A-Z]{5}$/.test(code)) return `the server at ${server} answers: ${message}`;
    return `no PostgreSQL server answers at ${server} (${code || message}): start it there, or correct the URL`;
  })();
  return new DatabaseConnectionError(sentence, { cause: error });
}
