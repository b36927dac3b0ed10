import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';

// Lint says it while one types; this walks every import, so that no rule can be switched off by accident.
const root = join(import.meta.dirname, '..');

const pure = ['guard', 'text'];
const platform = ['transport', 'telemetry', 'config', 'database', 'blobs'];
const services = ['mcp-gateway', 'retrieval', 'ingestion', 'embedding'];

/** What sources of a project may import of ours. */
const allowed: Record<string, string[]> = {
  contracts: [],
  ...Object.fromEntries(pure.map((name) => [name, []])),
  config: [],
  telemetry: [],
  blobs: [],
  transport: ['contracts', 'telemetry'],
  database: ['contracts', 'telemetry'],
  service: ['contracts', 'config', 'database', 'telemetry', 'transport'],
  testing: ['contracts', ...platform],
  ...Object.fromEntries(services.map((name) => [name, ['contracts', 'service', ...platform, ...pure]])),
  cli: ['contracts', ...platform, ...services],
};

/** Drivers and the places that may import them. */
const drivers: Record<string, RegExp> = {
  ioredis:
    /^libs\/(transport|testing)\/|\/redis-[\w-]+\.ts$|\/bullmq-[\w-]+\.ts$|\/main\.ts$|\/test\/|^e2e\/|^bench\/|\.(int-|e2e-)?spec\.ts$/,
  pg: /^libs\/(database|testing)\/|^bench\//,
  bullmq: /^services\/ingestion\/(src\/jobs|test)\//,
  '@modelcontextprotocol/': /^services\/mcp-gateway\/(src\/(mcp|tools)|test)\/|^e2e\/|^bench\//,
  'onnxruntime-node': /^services\/embedding\//,
};

interface Import {
  file: string;
  module: string;
}

const sources = globSync('{libs,services,apps,e2e,bench}/**/*.ts', { cwd: root })
  .map((file) => file.replaceAll('\\', '/'))
  .filter((file) => !file.includes('/dist/') && !file.includes('node_modules/'));

const imports: Import[] = sources.flatMap((file) =>
  [
    ...readFileSync(join(root, file), 'utf8').matchAll(
      /^(?:import|export)\b[^'";]*?from '([^']+)'|\bimport\('([^']+)'\)/gm,
    ),
  ].map((match) => ({ file, module: match[1] ?? match[2] ?? '' })),
);

describe('the direction of dependencies', () => {
  it('finds the sources', () => {
    expect(imports.length).toBeGreaterThan(200);
  });

  it('goes from services to platform to contracts and never back', () => {
    const wrong = imports.filter(({ file, module }) => {
      const project = /^(?:libs|services|apps)\/([\w-]+)\/src\//.exec(file)?.[1];
      const target = /^@lectern\/([\w-]+)/.exec(module)?.[1];
      if (!project || !target || (target === 'testing' && file.endsWith('.spec.ts'))) return false;
      return !allowed[project]?.includes(target);
    });
    expect(wrong).toEqual([]);
  });

  it('passes through the entry of a package, never around it', () => {
    const around = imports.filter(
      ({ file, module }) =>
        (/^@lectern\/[\w-]+\//.test(module) && !module.startsWith('@lectern/telemetry/register')) ||
        (module.startsWith('.') && !insideProject(file, module)),
    );
    expect(around).toEqual([]);
  });

  it('reaches a driver only where its kind of code lives', () => {
    const wrong = imports.filter(({ file, module }) =>
      Object.entries(drivers).some(([driver, place]) => matches(module, driver) && !place.test(file)),
    );
    expect(wrong).toEqual([]);
  });

  it('reads the environment only where a process starts', () => {
    const readers = sources.filter(
      (file) => /\/src\//.test(file) && readFileSync(join(root, file), 'utf8').includes('process.env'),
    );
    const places = /\/main\.ts$|\/register\.ts$|^apps\/cli\/src\/|^libs\/testing\/|\.spec\.ts$/;
    expect(readers.filter((file) => !places.test(file))).toEqual([]);
  });
});

function matches(module: string, driver: string): boolean {
  return driver.endsWith('/') ? module.startsWith(driver) : module === driver;
}

function insideProject(file: string, module: string): boolean {
  const project = file
    .split('/')
    .slice(0, file.startsWith('e2e') || file.startsWith('bench') ? 1 : 2)
    .join('/');
  return join(file, '..', module).replaceAll('\\', '/').startsWith(project);
}
