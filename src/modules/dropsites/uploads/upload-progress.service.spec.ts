import { expect, it } from '@jest/globals';
import type { FormatProgress } from '../../converter/index.js';
import { containerProgress } from './upload-progress.service.js';

const doing = (status: FormatProgress['status'], progress: number, isPreview = false): FormatProgress => ({
  ...{ formatId: 1, status, progress, isPreview, reason: null, isSkipped: false },
});

it('is that of the previews, as long as there are any', () => {
  expect(containerProgress([doing('running', 0), doing('running', 80, true)])).toEqual({ status: 'running', progress: 80 });
  expect(containerProgress([doing('running', 10), doing('successful', 100, true)])).toEqual({ status: 'successful', progress: 100 });
});

it('is that of all renditions without previews; ended ones count as complete', () => {
  expect(containerProgress([doing('running', 25), doing('successful', 100)])).toEqual({ status: 'running', progress: 62 });
  expect(containerProgress([doing('running', 40), doing('failed', 10)])).toEqual({ status: 'running', progress: 70 });
});

it('has failed only if no rendition succeeded', () => {
  expect(containerProgress([doing('failed', 10), doing('successful', 100)])?.status).toBe('successful');
  expect(containerProgress([doing('failed', 10), doing('failed', 0)])).toEqual({ status: 'failed', progress: 0 });
});

it('is empty without transcodings', () => {
  expect(containerProgress([])).toBeNull();
});
