import { afterAll, afterEach, expect } from '@jest/globals';
import { startComparing, takeDifferences } from './documented-answers.js';

// Jest loads this before the files of the e2e ring: a test during which the service and openapi.json differ fails.
startComparing();
const expectNoDifferences = () => expect(takeDifferences()).toEqual([]);
afterEach(expectNoDifferences);
afterAll(expectNoDifferences);
