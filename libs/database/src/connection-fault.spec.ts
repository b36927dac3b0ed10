import { expect, it } from '@jest/globals';
import { connectionFault } from './connection-fault.js';
import { openPostgres } from './postgres.js';

const url = 'postgres://some%40one:secret@db.example:6000/lectern';
const sentence = (code: string | undefined, message = 'raw') =>
  connectionFault(Object.assign(new Error(message), { code }), url).message;

it('names the address where nobody answers', () => {
  expect(sentence('ECONNREFUSED')).toMatch(/^no PostgreSQL server answers at db\.example:6000 \(ECONNREFUSED\)/);
  expect(sentence(undefined, 'timeout expired')).toContain('db.example:6000 (timeout expired)');
});

it('says how to make a database that is missing', () => {
  expect(sentence('3D000')).toContain('"createdb -h db.example -p 6000 -U some@one lectern"');
});

it('names the login that is refused, and what else the server says', () => {
  expect(sentence('28P01')).toContain('does not let "some@one" in (raw)');
  expect(sentence('53300', 'too many clients')).toBe('the server at db.example:6000 answers: too many clients');
});

it('keeps the password to itself', () => {
  for (const code of ['ECONNREFUSED', '3D000', '28P01', '53300']) expect(sentence(code)).not.toContain('secret');
});

it('reaches whoever starts a service, with the name of the setting', async () => {
  const database = openPostgres({ url: 'postgres://nobody@127.0.0.1:1/nothing', role: 'retrieval', poolSize: 1 });
  await expect(database.assertSchema()).rejects.toThrow(
    /^DATABASE_URL: no PostgreSQL server answers at 127\.0\.0\.1:1/,
  );
  await database.close();
});
