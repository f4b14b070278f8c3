import path from 'node:path';
import { foldersOf } from './scripts/select-specs.mjs';
import { groupFolder } from './scripts/test-groups.mjs';

// One project per ring, so that `scripts/test.mjs` and CI can select rings by name (see CONTRIBUTING.md).
const root = import.meta.dirname;

const swc = {
  jsc: {
    target: 'es2022',
    parser: { syntax: 'typescript', decorators: true },
    transform: { legacyDecorator: true, decoratorMetadata: true, useDefineForClassFields: false },
    keepClassNames: true,
  },
  module: { type: 'es6' },
  sourceMaps: 'inline',
};

const ring = (displayName, testMatch, more = {}) => ({
  displayName,
  testMatch: testMatch.map((pattern) => `<rootDir>/${pattern}`),
  testEnvironment: 'node',
  extensionsToTreatAsEsm: ['.ts'],
  moduleNameMapper: {
    '^(\\.{1,2}/.*)\\.js$': '$1',
    '^@media-delivery/local-storage$': '<rootDir>/local-storage/src/index.ts', // its sources, so that tests need no build of it
  },
  transform: { '^.+\\.ts$': ['@swc/jest', swc] },
  setupFiles: [
    'reflect-metadata',
    '<rootDir>/src/process/quiet-runtime-notice.ts',
    '<rootDir>/test/support/app/typescript-threads.ts',
    '<rootDir>/test/support/app/typescript-pages.ts',
  ],
  ...more,
});

/** Set by scripts/test.mjs when whole rings run. */
const inGroups = process.env.TEST_GROUPS === 'true';

/** A ring whose files are imported by groups when the whole ring runs. */
const groupedRing = (name, more = {}) =>
  inGroups
    ? ring(name, [`${path.relative(root, groupFolder(name))}/*.spec.ts`], {
        ...more,
        transform: { '^.+\\.ts$': ['<rootDir>/scripts/test-groups.mjs', swc] },
      })
    : ring(
        name,
        foldersOf(name).map((folder) => `${folder}/**/*.spec.ts`),
        more,
      );

/** A ring whose files share a PostgreSQL. */
const ringWithDatabase = (name, more = {}) =>
  groupedRing(name, {
    globalSetup: '<rootDir>/test/support/app/global-setup.ts',
    globalTeardown: '<rootDir>/test/support/app/global-teardown.ts',
    ...more,
  });

export default {
  // Only ends a test that hangs: on a busy machine tests of programs and pages take several times as long.
  testTimeout: 240_000,
  // By default Jest uses one process on a machine with two cores, but tests spend half of their time waiting for PostgreSQL, programs and timers.
  maxWorkers: 3,
  testSequencer: '<rootDir>/scripts/test-sequencer.mjs',
  workerIdleMemoryLimit: '1GB',
  // On a busy machine a process may need more than the default of half a second to exit, and Jest would print a warning.
  workerGracefulExitTimeout: 30_000,
  projects: [
    groupedRing('unit'),
    ring('architecture', ['test/architecture*.spec.ts']),
    ringWithDatabase('integration'),
    ringWithDatabase('e2e', { setupFilesAfterEnv: ['<rootDir>/test/support/documents/compare-answers.ts'] }),
    ringWithDatabase('browser'),
    ringWithDatabase('stress'),
    ringWithDatabase('external'),
  ],
};
