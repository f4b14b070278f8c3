import { afterAll, beforeAll, jest } from '@jest/globals';

/**
 * In CI a test of the file that calls this runs once more if it fails; .ci/run lists those that passed the second time. For files whose tests depend on
 * what a busy machine cannot promise, which is the `reason`. All other tests fail at their first failure, so that a race is seen.
 */
export function retryInCi(_reason: string): void {
  if (!process.env.CI) return;
  // Jest reads the number when it begins a block of tests, after the block's `beforeAll`; the next file of a group begins with none again.
  beforeAll(() => void jest.retryTimes(1, { logErrorsBeforeRetry: true }));
  afterAll(() => void jest.retryTimes(0));
}
