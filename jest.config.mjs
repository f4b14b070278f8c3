// One project per ring, so that `npm run test:unit` and CI choose rings by name (see CONTRIBUTING.md).
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
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  transform: { '^.+\\.ts$': ['@swc/jest', swc] },
  setupFiles: ['reflect-metadata', '<rootDir>/src/process/quiet-runtime-notice.ts'],
  ...more,
});

const withDatabase = { globalSetup: '<rootDir>/test/support/global-setup.ts', globalTeardown: '<rootDir>/test/support/global-teardown.ts' };

export default {
  testTimeout: 60_000,
  // Jest would take one process on a machine with two cores, in which modules of all files pile up; half of a test's time is waiting.
  maxWorkers: 2,
  workerIdleMemoryLimit: '1GB',
  // On a busy machine a process takes more than the default of half a second to end, and Jest complains.
  workerGracefulExitTimeout: 30_000,
  projects: [
    ring('unit', ['src/**/*.spec.ts', 'scripts/**/*.spec.ts']),
    ring('architecture', ['test/architecture.spec.ts']),
    ring('integration', ['test/integration/**/*.spec.ts'], withDatabase),
    ring('e2e', ['test/e2e/**/*.spec.ts'], withDatabase),
    ring('browser', ['test/browser/**/*.spec.ts'], withDatabase),
    ring('stress', ['test/stress/**/*.spec.ts'], withDatabase),
    ring('external', ['test/external/**/*.spec.ts'], withDatabase),
  ],
};
