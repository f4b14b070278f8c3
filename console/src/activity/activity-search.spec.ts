import { describe, expect, it } from '@jest/globals';
import { readActivitySearch, stateOf } from './activity-search';

describe('the address of the activity', () => {
  it('names a state, and leaves out what it does not know', () => {
    expect(readActivitySearch({ status: 'waiting' })).toEqual({ status: 'waiting' });
    expect(readActivitySearch({ status: 'flying' })).toEqual({});
  });
});

describe('the state of a job', () => {
  it.each([
    ['a rendition without progress', { status: 'running', type: 'transcoding', progress: 0 }, 'waiting'],
    ['a rendition with progress', { status: 'running', type: 'transcoding', progress: 3 }, 'running'],
    ['an upload, which reports no progress', { status: 'running', type: 'upload', progress: null }, 'running'],
    ['a failed rendition', { status: 'failed', type: 'transcoding', progress: 0 }, 'failed'],
  ] as const)('%s', (_, job, state) => expect(stateOf(job)).toBe(state));
});
