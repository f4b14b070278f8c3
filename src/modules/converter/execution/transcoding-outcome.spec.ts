import { expect, it } from '@jest/globals';
import { storageDenied, storageUnavailable } from '../../../shared/storage/index.js';
import { ToolFailure } from '../tools/tool-run.js';
import { executionErrors } from '../transcodings/transcodings.errors.js';
import { Outage, outcomeOfError, TemporaryFailure } from './transcoding-outcome.js';

it.each([
  ['exit', 'tool_failed', 'It failed.'],
  ['size', 'size_limit_exceeded', 'It failed.'],
] as const)('a program that failed by %s fails again', (reason, code, message) => {
  expect(outcomeOfError(new ToolFailure(reason, 'It failed.', 'words'))).toEqual({
    kind: 'failed',
    code,
    message,
    log: 'words',
  });
  expect(outcomeOfError(new ToolFailure(reason, 'It failed.', ''))).toMatchObject({ log: null });
});

it('a program that took too long fails again, with what the person can do', () => {
  expect(outcomeOfError(new ToolFailure('time', 'soffice used more processor time than its limit.', ''))).toMatchObject({
    kind: 'failed',
    code: 'took_too_long',
    message: 'soffice used more processor time than its limit. Upload a file with fewer pages, pixels or minutes, or divide it.',
  });
});

it.each([
  ['a program that was ended by another process', new ToolFailure('killed', 'It was ended.', 'words')],
  ['a program that is not there', new ToolFailure('missing', 'It is not there.', '')],
  ['a storage that is away', storageUnavailable()],
  ['a hindrance', new TemporaryFailure('The disk is full.')],
  ['a full disk', Object.assign(new Error('write'), { code: 'ENOSPC' })],
])('%s may pass', (_, error) => {
  expect(outcomeOfError(error)).toMatchObject({ kind: 'later', reason: expect.stringMatching(/./) });
});

it.each([
  ['a storage that does not answer', storageUnavailable(), true],
  ['a storage that denies a permission', storageDenied({ operation: 'PutObject', keyPrefix: 'renditions/' }), true],
  ['a full disk', Object.assign(new Error('write'), { code: 'ENOSPC' }), true],
  ['a disk without room', new Outage('The disk is full.'), true],
  ['a problem of the file', new TemporaryFailure('It changes.'), undefined],
  ['a program that was ended', new ToolFailure('killed', 'It was ended.', ''), undefined],
])('%s is an outage, or is not', (_, error, isOutage) => {
  const outcome = outcomeOfError(error);
  expect(outcome?.kind === 'later' && outcome.isOutage).toBe(isOutage);
});

it('a refusal is reported with its own code and message', () => {
  const error = executionErrors.source_missing('The original no longer exists.');
  expect(outcomeOfError(error)).toEqual({ kind: 'failed', code: 'source_missing', message: 'The original no longer exists.', log: null });
});

it('an unexpected error is reported without details', () => {
  expect(outcomeOfError(new TypeError('x is undefined'))).toBeNull();
  expect(outcomeOfError('thrown')).toBeNull();
});
