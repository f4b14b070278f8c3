import { afterAll } from '@jest/globals';
import { createLog, type Log } from '../../src/shared/logging/index.js';

const logs: Log[] = [];
// Otherwise counts are written by a timer, when the test file has ended.
afterAll(() => {
  for (const log of logs) log.writeCounts();
});

/** A log of ours whose lines are kept. */
export function capturedLog(level = 'trace'): { readonly log: Log; readonly lines: Record<string, unknown>[] } {
  const lines: Record<string, unknown>[] = [];
  const destination = { write: (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>) };
  const log = createLog({ level, service: 'test', destination });
  logs.push(log);
  return { log, lines };
}
