import { describe, expect, it } from '@jest/globals';
import { capturedLog } from '../../../test/support/captured-log.js';
import { forRequest } from './log.js';
import { causeOf, RepeatedFailures } from './repeated-failures.js';

const withCode = (code: string) => Object.assign(new Error('words'), { code });

describe('failures of one cause', () => {
  const start = () => {
    const due: (() => void)[] = [];
    const written: string[] = [];
    const failures = new RepeatedFailures((work) => due.push(work));
    const note = (cause: string, line = cause) => failures.note(cause, (count) => written.push(`${line} × ${count}`));
    const passMinute = () => {
      for (const work of due.splice(0)) work();
    };
    return { note, passMinute, written, due, end: () => failures.writeCounts() };
  };

  it('are written at once, and then once a minute with their number and the latest of them', () => {
    const { note, passMinute, written } = start();
    for (const line of ['first', 'second', 'third']) note('database', line);
    note('storage');
    expect(written).toEqual(['first × 1', 'storage × 1']);
    passMinute();
    expect(written.splice(0)).toEqual(['first × 1', 'storage × 1', 'third × 2']);
    note('storage', 'another time');
    expect(written).toEqual(['another time × 1']);
  });

  it('end a minute after the last one', () => {
    const { note, passMinute, written, due } = start();
    note('database');
    passMinute();
    expect([written, due]).toEqual([['database × 1'], []]);
    note('database', 'again');
    expect(written).toEqual(['database × 1', 'again × 1']);
  });

  it('are written with their number when the process ends, and not once more', () => {
    const { note, passMinute, written, end } = start();
    for (const line of ['first', 'second', 'third']) note('database', line);
    note('storage');
    end();
    passMinute();
    expect(written).toEqual(['first × 1', 'storage × 1', 'third × 2']);
  });

  it('are all written when there are more causes than can be remembered', () => {
    const { note, written } = start();
    for (let number = 0; number < 1_001; number += 1) note(`cause ${number}`);
    note('cause 0');
    note('cause 1000');
    expect(written).toHaveLength(1_002);
  });
});

describe('the cause of a line', () => {
  it('is the database, wherever its absence is noticed', () => {
    const causes = [
      causeOf({ err: withCode('57P01') }, 'lost a database connection'),
      causeOf({ err: withCode('ECONNREFUSED'), requestId: 'a' }, 'unexpected error'),
      causeOf({ err: new Error('Connection terminated unexpectedly') }, 'cannot listen'),
    ];
    expect(new Set(causes)).toEqual(new Set(['database']));
    expect(causeOf({ err: withCode('53100') }, 'unexpected error')).toBe('database 53100'); // it answers: the disk is full
  });

  it('is told apart by operation, host and status, and not by the request', () => {
    const line = { operation: 'https', host: 'a.example', status: 500, runId: 1 };
    expect(causeOf({ ...line, runId: 2 }, 'failed')).toBe(causeOf(line, 'failed'));
    for (const other of [{ host: 'b.example' }, { status: 0 }, { operation: 'email' }]) {
      expect(causeOf({ ...line, ...other }, 'failed')).not.toBe(causeOf(line, 'failed'));
    }
    expect(causeOf({ operation: 'PutObject', err: withCode('ECONNREFUSED') }, 'failed')).not.toBe('database');
  });

  it('of an unexpected error is the place that threw it', () => {
    const thrown = () => new TypeError('x is undefined');
    const [one, other] = [thrown(), new TypeError('x is undefined')];
    expect(causeOf({ err: thrown(), requestId: 'b' }, 'unexpected error')).toBe(causeOf({ err: one, requestId: 'a' }, 'unexpected error'));
    expect(causeOf({ err: other }, 'unexpected error')).not.toBe(causeOf({ err: one }, 'unexpected error'));
  });

  it.each([[{}], [{ requestId: 'a' }], [undefined], ['text']])('of %j is unknown', (members) => {
    expect(causeOf(members, 'a web process died')).toBeNull();
  });
});

it('a log writes a failing database once, and everything else as it comes', () => {
  const { log, lines } = capturedLog('info');
  for (const requestId of ['a', 'b', 'c']) log.error({ err: withCode('ECONNREFUSED'), requestId }, 'unexpected error');
  for (const worker of [1, 2]) log.warn({ worker }, 'a web process died');
  log.info({ operation: 'https' }, 'done');
  log.info({ operation: 'https' }, 'done');
  expect(lines.map(({ msg, requestId, worker }) => [msg, requestId ?? worker])).toEqual([
    ['unexpected error', 'a'],
    ['a web process died', 1],
    ['a web process died', 2],
    ['done', undefined],
    ['done', undefined],
  ]);
  const { log: detailed, lines: all } = capturedLog('debug');
  for (const requestId of ['a', 'b']) detailed.error({ err: withCode('57P01'), requestId }, 'unexpected error');
  expect(all.map(({ level, requestId }) => [level, requestId])).toEqual([
    [50, 'a'],
    [20, 'b'],
  ]);
});

it('a log adds the id of the request whose work failed, unless the line has one', async () => {
  const { log, lines } = capturedLog('info');
  await forRequest('r-1', async () => {
    await new Promise((resolve) => setImmediate(resolve));
    log.error({ operation: 'PutObject' }, 'the object storage failed');
    log.warn({ operation: 'email', requestId: 'r-2' }, 'failed');
    log.info({ a: 1 }, 'done');
  });
  log.error({ operation: 'GetObject' }, 'the object storage failed');
  expect(lines.map(({ requestId }) => requestId)).toEqual(['r-1', 'r-2', undefined, undefined]);
});
