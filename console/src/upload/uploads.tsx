import { ProblemError } from '@media-delivery/sdk';
import { useQueryClient } from '@tanstack/react-query';
import { createContext, type ReactNode, useCallback, useContext, useEffect, useMemo, useRef, useState } from 'react';
import { toLicense } from '../library/license';
import { changeMany, refreshMedia } from '../library/queries';
import { api, session } from '../session';
import { isClaimed, withClaim } from './upload-claim';
import { type FileFacts, hasRecord, keepRecord, matchFiles, readRecords, removeRecord, type UploadPlan } from './upload-record';

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

interface Uploads {
  readonly uploads: readonly Upload[];
  /** Files that the person has chosen and not yet started to upload. */
  readonly staged: readonly File[];
  /** Null: nothing is being uploaded. */
  readonly summary: { readonly percent: number } | null;
  readonly isOpen: boolean;
  open(): void;
  close(): void;
  /** Adds files to those that are about to be uploaded; if they are those of an interrupted upload, it goes on. */
  stage(files: readonly File[]): void;
  unstage(file: File): void;
  /** Uploads files; returns the id of the upload. */
  add(files: readonly File[], plan: UploadPlan): string;
  pause(id: string): void;
  resume(id: string): void;
  /** Continues an interrupted upload; false: these are not all of its files. */
  resumeWith(id: string, files: readonly File[]): boolean;
  /** Removes an upload from the list. What has not arrived of it is removed from the service, too; throws if that fails. */
  dismiss(id: string): Promise<void>;
}

/** What is in flight when an upload is cancelled ends within this time, or is not waited for: the service removes what arrives later. */
const CANCEL_MS = 2_000;

const Context = createContext<Uploads | null>(null);

export function useUploads(): Uploads {
  const uploads = useContext(Context);
  if (!uploads) throw new Error('useUploads needs an UploadsProvider above it.');
  return uploads;
}

const bytesOf = (files: readonly FileFacts[]): number => files.reduce((sum, { size }) => sum + size, 0);

const newUpload = (upload: Pick<Upload, 'id' | 'files' | 'sources' | 'plan' | 'state'>): Upload => ({
  ...upload,
  loaded: 0,
  total: bytesOf(upload.files),
  error: null,
  problems: [],
  containerIds: [],
});

/** Gives what has arrived its tags, licence and formats; returns why some of it could not be done. */
async function carryOut({ tags, formatIds, license }: UploadPlan, ids: readonly number[]): Promise<string[]> {
  const wanted = toLicense(license);
  if (tags.length === 0 && formatIds.length === 0 && wanted === null) return [];
  const { failed } = await changeMany(ids, { addTags: tags, transcode: formatIds, ...(wanted && { license: wanted }) });
  return [...new Set(failed.map(({ message }) => message))];
}

/** Uploads files, one batch after the other, while pages change. Before the window closes during an upload, the browser asks. */
export function UploadsProvider({ children }: { children: ReactNode }) {
  const [uploads, setUploads] = useState<readonly Upload[]>([]);
  const [staged, setStaged] = useState<readonly File[]>([]);
  const [isOpen, setOpen] = useState(false);
  const controllers = useRef(new Map<string, AbortController>());
  const runs = useRef(new Map<string, Promise<void>>());
  const queries = useQueryClient();

  const change = useCallback((id: string, changes: Partial<Upload>) => {
    setUploads((all) => all.map((one) => (one.id === id ? { ...one, ...changes } : one)));
  }, []);

  const run = useCallback(
    async ({ id, files, sources, plan }: Upload) => {
      if (!sources || controllers.current.has(id)) return;
      const controller = new AbortController();
      controllers.current.set(id, controller);
      change(id, { state: 'running', error: null });
      try {
        keepRecord({ id, userId: await userId(), files, plan });
        const { items } = await withClaim(
          id,
          async () =>
            await api.upload(sources, {
              uploadId: id,
              signal: controller.signal,
              onProgress: ({ loaded, total }) => change(id, { loaded, total }),
            }),
        );
        const containerIds = items.map(({ mediaContainerId }) => mediaContainerId);
        const problems = await carryOut(plan, containerIds);
        removeRecord(id);
        change(id, { state: 'completed', containerIds, problems });
        await refreshMedia(queries);
      } catch (error) {
        change(id, controller.signal.aborted ? { state: 'paused' } : { state: 'failed', error });
      } finally {
        controllers.current.delete(id);
      }
    },
    [change, queries],
  );

  /** Stops an upload, and removes what has not arrived of it. */
  const abandon = useCallback(
    async ({ id, files }: Upload) => {
      controllers.current.get(id)?.abort();
      await Promise.race([runs.current.get(id), new Promise((resolve) => setTimeout(resolve, CANCEL_MS))]);
      try {
        if (hasRecord(id)) await api.abandonUpload(id, { files: files.length });
      } catch (error) {
        // It never began, or its service has forgotten it.
        if (!(error instanceof ProblemError) || error.code !== 'not_found') throw error;
      } finally {
        removeRecord(id);
        await refreshMedia(queries);
      }
    },
    [queries],
  );

  useEffect(() => {
    if (uploads.some(({ state }) => state === 'running')) return;
    const next = uploads.findLast(({ state }) => state === 'waiting');
    if (!next || runs.current.has(next.id)) return;
    runs.current.set(
      next.id,
      run(next).finally(() => runs.current.delete(next.id)),
    );
  }, [uploads, run]);

  useEffect(() => {
    void interruptedUploads().then((found) =>
      setUploads((all) => [...all, ...found.filter(({ id }) => !all.some((one) => one.id === id))]),
    );
  }, []);

  const isRunning = uploads.some(({ state }) => state === 'running' || state === 'waiting');
  useEffect(() => {
    if (!isRunning) return;
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener('beforeunload', warn);
    return () => removeEventListener('beforeunload', warn);
  }, [isRunning]);

  const value = useMemo<Uploads>(() => {
    const running = uploads.filter(({ state }) => state === 'running' || state === 'waiting');
    const sum = (read: (upload: Upload) => number) => running.reduce((total, one) => total + read(one), 0);
    const percent = Math.floor(
      (sum(({ loaded }) => loaded) /
        Math.max(
          1,
          sum(({ total }) => total),
        )) *
        100,
    );
    const resumeWith = (id: string, files: readonly File[]) => {
      const sources = matchFiles(uploads.find((one) => one.id === id)?.files ?? [], files);
      if (!sources) return false;
      change(id, { sources, state: 'waiting' });
      return true;
    };
    return {
      uploads,
      staged,
      summary: running.length > 0 ? { percent } : null,
      isOpen,
      open: () => setOpen(true),
      close: () => setOpen(false),
      stage: (files) => {
        if (files.length === 0) return;
        setOpen(true);
        const interrupted = uploads.find((one) => one.state === 'interrupted' && one.files.length === files.length);
        if (!interrupted || !resumeWith(interrupted.id, files)) setStaged((all) => [...all, ...files]);
      },
      unstage: (file) => setStaged((all) => all.filter((one) => one !== file)),
      add: (files, plan) => {
        const id = crypto.randomUUID();
        setUploads((all) => [newUpload({ id, files, sources: files, plan, state: 'waiting' }), ...all]);
        setStaged((all) => all.filter((one) => !files.includes(one)));
        return id;
      },
      pause: (id) => controllers.current.get(id)?.abort(),
      resume: (id) => change(id, { state: 'waiting' }),
      resumeWith,
      dismiss: async (id) => {
        const upload = uploads.find((one) => one.id === id);
        setUploads((all) => all.filter((one) => one.id !== id));
        if (upload && upload.state !== 'completed') await abandon(upload);
      },
    };
  }, [uploads, staged, isOpen, change, abandon]);
  return <Context value={value}>{children}</Context>;
}

const userId = async (): Promise<number> => (await session()).tokens.user?.id ?? 0;

/** What an earlier page of this person has left unfinished, and no other window is uploading. */
async function interruptedUploads(): Promise<Upload[]> {
  const found: Upload[] = [];
  for (const { id, files, plan } of readRecords(await userId())) {
    if (!(await isClaimed(id))) found.push(newUpload({ id, files, plan, sources: null, state: 'interrupted' }));
  }
  return found;
}
