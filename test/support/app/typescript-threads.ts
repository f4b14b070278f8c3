import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { threadOptions } from '../../../src/shared/threads/limited-thread.js';

// Threads do not run in Jest, so they need a loader of their own for the TypeScript in src.
threadOptions.push('--import', pathToFileURL(path.join(import.meta.dirname, 'typescript-loader.mjs')).href);
