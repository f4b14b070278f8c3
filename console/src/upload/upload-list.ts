import { type FileFacts, matchFiles, type UploadPlan, type UploadRecord } from './upload-record';

/** Files that are uploaded together: one batch of the service, which can be paused and continued. */
export interface Upload {
  readonly id: string;
  readonly files: readonly FileFacts[];
  /** The content of the files; null after a reload, until the person chooses them again. */
  readonly sources: readonly File[] | null;
  readonly plan: UploadPlan;
  readonly loaded: number;
  readonly total: number;
  /** waiting: until the uploads before it have ended; interrupted: the page was closed or loaded again. */
  readonly state: 'waiting' | 'running' | 'paused' | 'failed' | 'interrupted' | 'completed';
  readonly error: unknown;
  /** Why tags, licence or formats of files that have arrived were not set. */
  readonly problems: readonly string[];
  /** Of the files, in their order, once all have arrived. */
  readonly containerIds: readonly number[];
}

export interface UploadList {
  /** The newest first. */
  readonly uploads: readonly Upload[];
  /** Files that the person has chosen and not yet started to upload. */
  readonly staged: readonly File[];
}

export const NO_UPLOADS: UploadList = { uploads: [], staged: [] };

/** What happens to files and uploads; an action for an upload that was removed meanwhile changes nothing. */
export type UploadAction =
  /** Files were chosen: those of an interrupted upload continue it. */
  | { readonly type: 'staged'; readonly files: readonly File[] }
  | { readonly type: 'unstaged'; readonly file: File }
  | { readonly type: 'added'; readonly id: string; readonly files: readonly File[]; readonly plan: UploadPlan }
  /** An earlier page has left them unfinished. */
  | { readonly type: 'found'; readonly records: readonly Pick<UploadRecord, 'id' | 'files' | 'plan'>[] }
  /** It goes on, or is tried again, after the uploads before it. `sources`: the files that were chosen again. */
  | { readonly type: 'resumed'; readonly id: string; readonly sources?: readonly File[] }
  | { readonly type: 'started'; readonly id: string }
  | { readonly type: 'progressed'; readonly id: string; readonly loaded: number; readonly total: number }
  | { readonly type: 'paused'; readonly id: string }
  | { readonly type: 'failed'; readonly id: string; readonly error: unknown }
  | { readonly type: 'completed'; readonly id: string; readonly containerIds: readonly number[]; readonly problems: readonly string[] }
  | { readonly type: 'removed'; readonly id: string };

/** The list after something has happened. */
export function uploadListReducer(list: UploadList, action: UploadAction): UploadList {
  const { uploads, staged } = list;
  switch (action.type) {
    case 'staged': {
      const interrupted = uploads.find(({ state, files }) => state === 'interrupted' && files.length === action.files.length);
      const sources = interrupted && matchFiles(interrupted.files, action.files);
      return sources
        ? changeUpload(list, interrupted.id, { sources, state: 'waiting' })
        : { uploads, staged: [...staged, ...action.files] };
    }
    case 'unstaged':
      return { uploads, staged: staged.filter((one) => one !== action.file) };
    case 'added': {
      const { id, files, plan } = action;
      const added = newUpload({ id, files, sources: files, plan, state: 'waiting' });
      return { uploads: [added, ...uploads], staged: staged.filter((one) => !files.includes(one)) };
    }
    case 'found': {
      const unknown = action.records.filter(({ id }) => !uploads.some((one) => one.id === id));
      const found = unknown.map(({ id, files, plan }) => newUpload({ id, files, sources: null, plan, state: 'interrupted' }));
      return { uploads: [...uploads, ...found], staged };
    }
    case 'resumed':
      return changeUpload(list, action.id, { state: 'waiting', ...(action.sources && { sources: action.sources }) });
    case 'started':
      return changeUpload(list, action.id, { state: 'running', error: null });
    case 'progressed':
      return changeUpload(list, action.id, { loaded: action.loaded, total: action.total });
    case 'paused':
      return changeUpload(list, action.id, { state: 'paused' });
    case 'failed':
      return changeUpload(list, action.id, { state: 'failed', error: action.error });
    case 'completed':
      return changeUpload(list, action.id, { state: 'completed', containerIds: action.containerIds, problems: action.problems });
    case 'removed':
      return { uploads: uploads.filter(({ id }) => id !== action.id), staged };
  }
}

const changeUpload = ({ uploads, staged }: UploadList, id: string, changes: Partial<Upload>): UploadList => ({
  uploads: uploads.map((one) => (one.id === id ? { ...one, ...changes } : one)),
  staged,
});

const newUpload = (upload: Pick<Upload, 'id' | 'files' | 'sources' | 'plan' | 'state'>): Upload => ({
  ...upload,
  loaded: 0,
  total: upload.files.reduce((sum, { size }) => sum + size, 0),
  error: null,
  problems: [],
  containerIds: [],
});

/** The upload to start now: the oldest that waits, unless one is running. */
export const nextUpload = (uploads: readonly Upload[]): Upload | undefined =>
  uploads.some(({ state }) => state === 'running') ? undefined : uploads.findLast(({ state }) => state === 'waiting');

/** How much of what is being uploaded has arrived, in whole percent; null: nothing is being uploaded. */
export function percentUploaded(uploads: readonly Upload[]): number | null {
  const running = uploads.filter(({ state }) => state === 'running' || state === 'waiting');
  const loaded = running.reduce((sum, one) => sum + one.loaded, 0);
  const total = running.reduce((sum, one) => sum + one.total, 0);
  return running.length > 0 ? Math.floor((loaded / Math.max(1, total)) * 100) : null;
}
