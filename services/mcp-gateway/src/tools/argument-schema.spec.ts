import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { argumentSchema, clampedInteger, otherSpelling } from './argument-schema.js';

const schema = argumentSchema(
  z.object({
    fileName: z.string().optional(),
    top_k: clampedInteger({ min: 1, max: 20, fallback: 5, description: 'How many.' }),
  }),
)['~standard'];

describe('argumentSchema', () => {
  it('lists the canonical names and bounds alone', () => {
    expect(schema.jsonSchema.input()).toMatchObject({
      type: 'object',
      additionalProperties: false,
      properties: { fileName: { type: 'string' }, top_k: { type: 'integer', minimum: 1, maximum: 20, default: 5 } },
    });
    expect(Object.keys(schema.jsonSchema.input().properties as object)).toEqual(['fileName', 'top_k']);
  });

  it.each([
    [{ file_name: 'a' }, { fileName: 'a', top_k: 5 }],
    [{ topK: 100 }, { top_k: 20 }],
    [{ topK: Infinity }, { top_k: 20 }],
    [{ topK: 3, top_k: 3 }, { top_k: 3 }],
  ])('reads %j as %j', (given, value) => {
    expect(schema.validate(given)).toEqual({ value });
  });

  it.each([
    [{ topK: 3, top_k: 4 }],
    [{ top_k: 'five' }],
    [{ top_k: Number.NaN }],
    [{ top_k: null }],
    [{ other: 1 }],
    [[]],
    ['text'],
    [null],
    [JSON.parse('{"__proto__": {"top_k": 3}}')],
  ])('refuses %j', (given) => {
    expect(schema.validate(given).issues).toHaveLength(1);
  });

  it('names some of what it does not know, shortened, and all that it takes', () => {
    const unknown = Array.from({ length: 5000 }, (_, index) => [`${index}-${'x'.repeat(1000)}`, 1]);
    const [issue] = schema.validate(Object.fromEntries(unknown)).issues ?? [];
    expect(issue?.message).toMatch(
      /^Unrecognized keys: "0-x+", .*"9-x+" and 4990 more; the arguments are fileName, top_k$/,
    );
    expect(issue?.message.length).toBeLessThan(1000);
    expect(argumentSchema(z.object({}))['~standard'].validate({ a: 1 })).toEqual({
      issues: [{ message: 'Unrecognized key: "a"; it takes none' }],
    });
  });

  it('refuses an argument in both spellings however deep its values are', () => {
    const deep = (): unknown => JSON.parse('['.repeat(50_000) + ']'.repeat(50_000));
    expect(schema.validate({ fileName: deep(), file_name: deep() }).issues).toEqual([
      { path: ['fileName'], message: 'fileName and file_name name the same argument; give one of them' },
    ]);
  });

  it('leaves what it was given alone', () => {
    const given = Object.freeze({ topK: 99 });
    schema.validate(given);
    expect(given).toEqual({ topK: 99 });
  });
});

describe('otherSpelling', () => {
  it.each([
    ['knowledgeBaseId', 'knowledge_base_id'],
    ['top_k', 'topK'],
    ['query', 'query'],
  ])('of %s is %s', (name, other) => {
    expect(otherSpelling(name)).toBe(other);
    expect(otherSpelling(other)).toBe(name);
  });
});
