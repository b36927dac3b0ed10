import { readdirSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { migrations } from './index.js';

describe('the migrations', () => {
  it('are the files of their folder, numbered from 1 without gaps', () => {
    const files = readdirSync(import.meta.dirname)
      .filter((file) => /^\d{4}-/.test(file))
      .toSorted();
    const expected = migrations.map(({ version, name }) => `${String(version).padStart(4, '0')}-${name}.ts`);
    expect(files).toEqual(expected);
    expect(migrations.map(({ version }) => version)).toEqual(migrations.map((_, index) => index + 1));
  });

  it('say in one line why they are needed', () => {
    for (const { name, reason } of migrations)
      expect([name, reason]).toEqual([name, expect.stringMatching(/^.{20,120}$/)]);
  });

  it('leave transactions to the migrator, and pin the search path of every definer function', () => {
    for (const { sql } of migrations) {
      expect(sql).not.toMatch(/^\s*(BEGIN|COMMIT|ROLLBACK)\s*;/m);
      for (const [declaration] of sql.matchAll(/SECURITY DEFINER[^$]*/g)) {
        expect(declaration).toContain('SET search_path = public, pg_temp');
      }
    }
  });
});
