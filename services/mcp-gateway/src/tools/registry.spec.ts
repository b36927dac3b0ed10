import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import * as contracts from '@lectern/contracts';
import { describe, expect, it } from '@jest/globals';
import { describeTool } from '../mcp/tool-registration.js';
import { catalog } from './catalog/index.js';
import { toolsets, type Tool } from './define-tool.js';
import { permissions } from './permission.js';
import { otherSpelling } from './argument-schema.js';

const folder = join(import.meta.dirname, 'catalog');
const files = readdirSync(folder);
const tools: [string, Tool][] = catalog.map((tool) => [tool.name, tool]);
const forbiddenArguments = /tenant|user|token|secret|password|scope|confirm/i;

/** Every schema inside a JSON Schema, itself included. */
function schemasIn(schema: unknown): Record<string, unknown>[] {
  if (typeof schema !== 'object' || schema === null) return [];
  return [schema as Record<string, unknown>, ...Object.values(schema).flatMap(schemasIn)];
}

describe('the catalogue', () => {
  it('has one file, one spec and one entry for each tool', () => {
    const names = catalog.map(({ name }) => name.replaceAll('_', '-')).toSorted();
    const withSuffix = (suffix: string) =>
      files
        .filter((file) => file.endsWith(suffix))
        .map((file) => file.slice(0, -suffix.length))
        .toSorted();
    expect(withSuffix('.tool.ts')).toEqual(names);
    expect(withSuffix('.tool.spec.ts')).toEqual(names);
    expect(new Set(names).size).toBe(names.length);
  });

  it('shows clients what it showed them before', () => {
    expect(catalog.map(describeTool)).toMatchSnapshot();
  });
});

describe.each(tools)('%s', (name, tool) => {
  const input = tool.argumentSchema['~standard'].jsonSchema.input();
  const properties = (input.properties ?? {}) as Record<string, { description?: string }>;

  it('is named and described as clients and models need it', () => {
    expect(name).toMatch(/^[a-z]+(_[a-z]+)+$/);
    expect(name.length).toBeLessThanOrEqual(40);
    expect(tool.title.length).toBeLessThanOrEqual(40);
    expect(tool.description.length).toBeGreaterThanOrEqual(80);
    expect(tool.description.length).toBeLessThanOrEqual(1000);
    expect(permissions).toContain(tool.permission);
    for (const toolset of tool.toolsets) expect(toolsets).toContain(toolset);
  });

  it('is an object on both sides, without what clients choke on', () => {
    for (const schema of [input, tool.outputJsonSchema]) {
      expect(schema.type).toBe('object');
      for (const part of schemasIn(schema)) {
        for (const keyword of ['$ref', '$defs', 'allOf', 'oneOf', 'anyOf']) expect(part).not.toHaveProperty([keyword]);
      }
    }
  });

  it('describes each argument, refuses unknown ones and lets nobody choose who calls', () => {
    expect(input.additionalProperties).toBe(false);
    for (const [argument, schema] of Object.entries(properties)) {
      expect([argument, schema.description]).toEqual([argument, expect.stringMatching(/.{10,}/)]);
      expect(argument).not.toMatch(forbiddenArguments);
      expect(properties).not.toHaveProperty([otherSpelling(argument) === argument ? ' ' : otherSpelling(argument)]);
    }
  });

  it('has the scope and the confirmation that its permission asks for', () => {
    expect(contracts.scopes).toContain(tool.scope);
    if (tool.permission === 'read-only') expect(tool.scope).toMatch(/:read$/);
    else expect(tool.scope).not.toMatch(/:read$/);
    expect(tool.confirm !== undefined).toBe(tool.permission === 'danger');
  });

  it('sets all four hints', () => {
    const { annotations } = describeTool(tool) as { annotations: Record<string, boolean> };
    expect(annotations).toEqual({
      readOnlyHint: tool.permission === 'read-only',
      destructiveHint: tool.permission === 'danger',
      idempotentHint: expect.any(Boolean),
      openWorldHint: expect.any(Boolean),
    });
  });

  it('asks for operations of the contracts alone', () => {
    if (tool.route.kind === 'local') return;
    const { operation, follow } = tool.route;
    for (const one of [operation, ...(follow ? [follow.operation] : [])]) {
      expect(Object.values(contracts)).toContain(one);
    }
  });
});
