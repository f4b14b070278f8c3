import { expect, it } from '@jest/globals';
import { storageUnavailable } from '../../../shared/storage/index.js';
import { ToolFailure } from '../tools/run-request.js';
import { executionErrors } from './execution.errors.js';
import { Hindrance } from './hindrance.js';
import { tellOutcome } from './tell-outcome.js';

it.each([
  ['exit', 'tool_failed'],
  ['time', 'time_limit_exceeded'],
  ['size', 'size_limit_exceeded'],
] as const)('a program that failed by %s fails again', (reason, code) => {
  expect(tellOutcome(new ToolFailure(reason, 'It failed.', 'words'))).toEqual({
    kind: 'failed',
    code,
    message: 'It failed.',
    log: 'words',
  });
  expect(tellOutcome(new ToolFailure(reason, 'It failed.', ''))).toMatchObject({ log: null });
});

it.each([
  ['a program that was ended from outside', new ToolFailure('killed', 'It was ended.', 'words')],
  ['a program that is not there', new ToolFailure('missing', 'It is not there.', '')],
  ['a storage that is away', storageUnavailable()],
  ['a hindrance', new Hindrance('The disk is full.')],
  ['a full disk', Object.assign(new Error('write'), { code: 'ENOSPC' })],
])('%s may pass', (_, error) => {
  expect(tellOutcome(error)).toMatchObject({ kind: 'later', reason: expect.stringMatching(/./) });
});

it('what the work refuses is told as it is', () => {
  const error = executionErrors.source_missing('The original is gone.');
  expect(tellOutcome(error)).toEqual({ kind: 'failed', code: 'source_missing', message: 'The original is gone.', log: null });
});

it('what nobody foresaw is not told', () => {
  expect(tellOutcome(new TypeError('x is undefined'))).toBeNull();
  expect(tellOutcome('thrown')).toBeNull();
});
