import { createLog, type Log } from '../../src/shared/logging/index.js';

/** A log of ours whose lines are kept. */
export function capturedLog(level = 'trace'): { readonly log: Log; readonly lines: Record<string, unknown>[] } {
  const lines: Record<string, unknown>[] = [];
  const destination = { write: (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>) };
  return { log: createLog({ level, service: 'test', destination }), lines };
}
