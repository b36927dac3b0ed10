// One setup for the three kinds of test; scripts/jest.mjs picks the kind by its file suffix.
const suffix = { unit: 'spec', int: 'int-spec', e2e: 'e2e-spec' }[process.env.LECTERN_TEST_KIND ?? 'unit'];

export default {
  rootDir: import.meta.dirname,
  testMatch: [`**/*.${suffix}.ts`],
  testPathIgnorePatterns: ['/node_modules/', '/dist/', '/.nx/', '/data/'],
  modulePathIgnorePatterns: ['/dist/', '/.nx/'],
  extensionsToTreatAsEsm: ['.ts'],
  transform: {
    '\\.ts$': [
      '@swc/jest',
      {
        jsc: {
          parser: { syntax: 'typescript', decorators: true },
          transform: { legacyDecorator: true, decoratorMetadata: true },
          target: 'es2024',
        },
        sourceMaps: 'inline',
      },
    ],
  },
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  testEnvironmentOptions: { customExportConditions: ['@lectern/source', 'node', 'node-addons'] },
  testTimeout: { spec: 10_000, 'int-spec': 60_000, 'e2e-spec': 300_000 }[suffix],
  maxWorkers: suffix === 'e2e-spec' ? 1 : 2,
};
