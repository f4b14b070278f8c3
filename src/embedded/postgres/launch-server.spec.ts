import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { openServerLog } from './launch-server.js';

describe('The log of the embedded PostgreSQL', () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'server-log-'));
  const logFile = path.join(folder, 'postgres.log');
  afterAll(() => rmSync(folder, { recursive: true }));

  function reasonAfter(...lines: string[]): string {
    const log = openServerLog(logFile);
    appendFileSync(logFile, lines.map((line) => `2026-01-01 00:00:00 UTC [1] ${line}\n`).join(''));
    const reason = log.readReason();
    log.close();
    return reason;
  }

  it('names the last thing that the server could not bear', () => {
    expect(reasonAfter('FATAL:  old', 'PANIC:  could not locate a valid checkpoint record', 'LOG:  shutting down')).toBe(
      'could not locate a valid checkpoint record',
    );
  });

  it('takes the end of a session for no reason, whenever it is written', () => {
    const reason = 'pre-existing shared memory block (key 1, ID 2) is still in use';
    for (const line of ['FATAL:  terminating connection due to unexpected postmaster exit', 'FATAL:  the database system is starting up']) {
      expect(reasonAfter(`FATAL:  ${reason}`, line)).toBe(reason);
      expect(reasonAfter(line, `FATAL:  ${reason}`)).toBe(reason);
    }
  });

  it('reads only lines that were written after it was opened', () => {
    reasonAfter('FATAL:  of the last time');
    const log = openServerLog(logFile);
    expect(log.readReason()).toBe('it wrote nothing');
    log.close();
  });
});
