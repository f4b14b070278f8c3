import { useQueryClient } from '@tanstack/react-query';
import { createContext, type ReactNode, useCallback, useContext, useEffect, useMemo, useRef, useState } from 'react';
import { api } from '../session';

/** Files that are uploaded together: one batch of the service, which can be paused and continued. */
export interface Upload {
  readonly id: string;
  readonly files: readonly File[];
  readonly tags: readonly string[];
  readonly loaded: number;
  readonly total: number;
  readonly state: 'running' | 'paused' | 'failed' | 'completed';
  readonly error: unknown;
  /** Of the files, in their order, once all have arrived. */
  readonly containerIds: readonly number[];
}

interface Uploads {
  readonly uploads: readonly Upload[];
  /** Null: nothing is being uploaded. */
  readonly summary: { readonly percent: number } | null;
  readonly isOpen: boolean;
  open(): void;
  close(): void;
  add(files: readonly File[], tags: readonly string[]): void;
  pause(id: string): void;
  resume(id: string): void;
  dismiss(id: string): void;
}

const Context = createContext<Uploads | null>(null);

export function useUploads(): Uploads {
  const uploads = useContext(Context);
  if (!uploads) throw new Error('useUploads needs an UploadsProvider above it.');
  return uploads;
}

/** Uploads files while pages change. Before the window closes during an upload, the browser asks. */
export function UploadsProvider({ children }: { children: ReactNode }) {
  const [uploads, setUploads] = useState<readonly Upload[]>([]);
  const [isOpen, setOpen] = useState(false);
  const controllers = useRef(new Map<string, AbortController>());
  const queries = useQueryClient();

  const change = useCallback((id: string, changes: Partial<Upload>) => {
    setUploads((all) => all.map((one) => (one.id === id ? { ...one, ...changes } : one)));
  }, []);

  const run = useCallback(
    async ({ id, files, tags }: Pick<Upload, 'id' | 'files' | 'tags'>) => {
      const controller = new AbortController();
      controllers.current.set(id, controller);
      change(id, { state: 'running', error: null });
      try {
        const { items } = await api.upload(files, {
          uploadId: id,
          signal: controller.signal,
          onProgress: ({ loaded, total }) => change(id, { loaded, total }),
        });
        const containerIds = items.map(({ mediaContainerId }) => mediaContainerId);
        if (tags.length > 0) await api.POST('/v5/mediacontainer/bulk', { body: { ids: containerIds, set: { addTags: [...tags] } } });
        change(id, { state: 'completed', containerIds });
        await queries.invalidateQueries({ queryKey: ['media'] });
      } catch (error) {
        change(id, controller.signal.aborted ? { state: 'paused' } : { state: 'failed', error });
      } finally {
        controllers.current.delete(id);
      }
    },
    [change, queries],
  );

  const isRunning = uploads.some(({ state }) => state === 'running');
  useEffect(() => {
    if (!isRunning) return;
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener('beforeunload', warn);
    return () => removeEventListener('beforeunload', warn);
  }, [isRunning]);

  const value = useMemo<Uploads>(() => {
    const running = uploads.filter(({ state }) => state === 'running');
    const sum = (read: (upload: Upload) => number) => running.reduce((total, one) => total + read(one), 0);
    return {
      uploads,
      summary:
        running.length > 0
          ? {
              percent: Math.floor(
                (sum((one) => one.loaded) /
                  Math.max(
                    1,
                    sum((one) => one.total),
                  )) *
                  100,
              ),
            }
          : null,
      isOpen,
      open: () => setOpen(true),
      close: () => setOpen(false),
      add: (files, tags) => {
        if (files.length === 0) return;
        const total = files.reduce((bytes, file) => bytes + file.size, 0);
        const upload: Upload = { id: crypto.randomUUID(), files, tags, loaded: 0, total, state: 'running', error: null, containerIds: [] };
        setUploads((all) => [upload, ...all]);
        setOpen(true);
        void run(upload);
      },
      pause: (id) => controllers.current.get(id)?.abort(),
      resume: (id) => {
        const upload = uploads.find((one) => one.id === id);
        if (upload) void run(upload);
      },
      dismiss: (id) => setUploads((all) => all.filter((one) => one.id !== id)),
    };
  }, [uploads, isOpen, run]);
  return <Context value={value}>{children}</Context>;
}
