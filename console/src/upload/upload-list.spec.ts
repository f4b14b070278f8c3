import { describe, expect, it } from '@jest/globals';
import { NO_UPLOADS, nextUpload, percentUploaded, type UploadAction, type UploadList, uploadListReducer } from './upload-list';
import { NO_PLAN } from './upload-record';

const file = (name: string, size = 10) => new File(['x'.repeat(size)], name);
const [a, b, c] = [file('a'), file('b', 30), file('c')];
const after = (actions: readonly UploadAction[], list = NO_UPLOADS) => actions.reduce(uploadListReducer, list);
const add = (id: string, ...files: File[]): UploadAction => ({ type: 'added', id, files, plan: NO_PLAN });
const found = (id: string, ...files: File[]): UploadAction => ({
  type: 'found',
  records: [{ id, files: files.map(({ name, size }) => ({ name, size })), plan: { ...NO_PLAN, tags: ['sea'] } }],
});
const states = ({ uploads }: UploadList) => uploads.map(({ id, state }) => `${id} ${state}`);
const started = (id: string): UploadAction => ({ type: 'started', id });
const error = new Error('refused');

describe('chosen files', () => {
  it('are staged until they are uploaded, or left out', () => {
    expect(after([{ type: 'staged', files: [a, b] }]).staged).toEqual([a, b]);
    const staged = after([
      { type: 'staged', files: [a, b] },
      { type: 'staged', files: [c] },
      { type: 'unstaged', file: b },
    ]);
    expect(staged.staged).toEqual([a, c]);
    const { staged: left, uploads } = after([add('1', a)], staged);
    expect(left).toEqual([c]);
    expect(uploads).toMatchObject([{ id: '1', files: [a], sources: [a], state: 'waiting', loaded: 0, total: 10 }]);
  });

  it('continue an interrupted upload if they are its files, in any order', () => {
    const { uploads, staged } = after([found('1', a, b), { type: 'staged', files: [b, a] }]);
    expect(uploads).toMatchObject([{ id: '1', state: 'waiting', sources: [a, b], plan: { tags: ['sea'] } }]);
    expect(staged).toEqual([]);
  });

  it('are staged if they are others, or the upload is not interrupted', () => {
    expect(after([found('1', a, b), { type: 'staged', files: [a, c] }]).staged).toEqual([a, c]);
    expect(after([add('1', a), { type: 'staged', files: [a] }]).staged).toEqual([a]);
  });
});

describe('an upload', () => {
  it('is paused and goes on', () => {
    const progressed: UploadAction = { type: 'progressed', id: '1', loaded: 5, total: 10 };
    const paused = after([add('1', a), started('1'), progressed, { type: 'paused', id: '1' }]);
    expect(paused.uploads).toMatchObject([{ state: 'paused', loaded: 5, total: 10 }]);
    expect(after([{ type: 'resumed', id: '1' }], paused).uploads).toMatchObject([{ state: 'waiting', loaded: 5, sources: [a] }]);
  });

  it('fails, and with the next attempt the error has gone', () => {
    const failed = after([add('1', a), started('1'), { type: 'failed', id: '1', error }]);
    expect(failed.uploads).toMatchObject([{ state: 'failed', error }]);
    expect(after([{ type: 'resumed', id: '1' }, started('1')], failed).uploads).toMatchObject([{ state: 'running', error: null }]);
  });

  it('is completed, with what was not done with its files', () => {
    const completed: UploadAction = { type: 'completed', id: '1', containerIds: [7], problems: ['No such format.'] };
    const { uploads } = after([add('1', a), started('1'), completed]);
    expect(uploads).toMatchObject([{ state: 'completed', containerIds: [7], problems: ['No such format.'] }]);
  });

  it('is changed by nothing that happens after it was removed', () => {
    const removed = after([add('1', a), add('2', b), started('1'), { type: 'removed', id: '1' }]);
    expect(states(removed)).toEqual(['2 waiting']);
    expect(after([{ type: 'progressed', id: '1', loaded: 1, total: 10 }], removed)).toEqual(removed);
    expect(after([{ type: 'paused', id: '1' }], removed)).toEqual(removed);
  });
});

describe('uploads that an earlier page has left', () => {
  it('are interrupted, after those of this page, until their files are chosen again', () => {
    const list = after([add('2', b), found('1', a)]);
    expect(states(list)).toEqual(['2 waiting', '1 interrupted']);
    expect(list.uploads[1]).toMatchObject({ sources: null, total: 10 });
    const resumed = after([{ type: 'resumed', id: '1', sources: [a] }], list);
    expect(resumed.uploads[1]).toMatchObject({ sources: [a], state: 'waiting' });
  });

  it('are not added twice', () => {
    expect(states(after([add('1', a), found('1', a)]))).toEqual(['1 waiting']);
  });
});

describe('the next upload', () => {
  it('is the oldest that waits', () => {
    expect(nextUpload(after([add('1', a), add('2', b)]).uploads)?.id).toBe('1');
  });

  it('waits until none is running', () => {
    const running = after([add('1', a), add('2', b), started('1')]);
    expect(nextUpload(running.uploads)).toBeUndefined();
    expect(nextUpload(after([{ type: 'failed', id: '1', error }], running).uploads)?.id).toBe('2');
  });

  it('is none that is paused, failed or interrupted', () => {
    const list = after([add('1', a), found('2', b), add('3', c), { type: 'paused', id: '1' }, { type: 'failed', id: '3', error }]);
    expect(nextUpload(list.uploads)).toBeUndefined();
  });
});

describe('the progress of all uploads', () => {
  it('is that of the uploads that run or wait', () => {
    const list = after([add('1', a), add('2', b), started('1'), { type: 'progressed', id: '1', loaded: 5, total: 10 }]);
    expect(percentUploaded(list.uploads)).toBe(12);
    expect(percentUploaded(after([{ type: 'paused', id: '1' }], list).uploads)).toBe(0);
  });

  it('is absent when nothing is being uploaded, and 0 for empty files', () => {
    expect(percentUploaded(after([add('1', a), { type: 'failed', id: '1', error }]).uploads)).toBeNull();
    expect(percentUploaded(after([add('1', file('empty', 0))]).uploads)).toBe(0);
  });
});
