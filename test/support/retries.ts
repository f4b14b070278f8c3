import { jest } from '@jest/globals';

// In CI a test that failed runs once more, because other work on the machine can delay any wait beyond its limit. A test that fails twice has failed;
// .ci/run lists those that passed the second time.
if (process.env.CI) jest.retryTimes(1, { logErrorsBeforeRetry: true });
