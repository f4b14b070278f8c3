import { createContext, type ReactNode, useContext, useEffect, useMemo, useReducer, useState } from 'react';
import { NO_UPLOADS, percentUploaded, type UploadList, uploadListReducer } from './upload-list';
import { matchFiles, type UploadPlan } from './upload-record';
import { useTransfers } from './use-transfers';

interface Uploads extends UploadList {
  /** Null: nothing is being uploaded. */
  readonly summary: { readonly percent: number } | null;
  readonly isOpen: boolean;
  open(): void;
  close(): void;
  /** Adds files to those that are about to be uploaded; if they are those of an interrupted upload, it goes on. */
  stage(files: readonly File[]): void;
  unstage(file: File): void;
  /** Uploads files. */
  add(files: readonly File[], plan: UploadPlan): void;
  pause(id: string): void;
  resume(id: string): void;
  /** Continues an interrupted upload; false: these are not all of its files. */
  resumeWith(id: string, files: readonly File[]): boolean;
  /** Removes an upload from the list. What has not arrived of it is removed from the service, too; throws if that fails. */
  dismiss(id: string): Promise<void>;
}

const Context = createContext<Uploads | null>(null);

export function useUploads(): Uploads {
  const uploads = useContext(Context);
  if (!uploads) throw new Error('useUploads needs an UploadsProvider above it.');
  return uploads;
}

/** Uploads files, one batch after the other, while pages change. Before the window closes during an upload, the browser asks. */
export function UploadsProvider({ children }: { children: ReactNode }) {
  const [{ uploads, staged }, dispatch] = useReducer(uploadListReducer, NO_UPLOADS);
  const [isOpen, setOpen] = useState(false);
  const { pause, abandon } = useTransfers(uploads, dispatch);
  const percent = percentUploaded(uploads);
  const isRunning = percent !== null;
  useEffect(() => {
    if (!isRunning) return;
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener('beforeunload', warn);
    return () => removeEventListener('beforeunload', warn);
  }, [isRunning]);

  const value = useMemo<Uploads>(() => {
    const uploadOf = (id: string) => uploads.find((one) => one.id === id);
    return {
      uploads,
      staged,
      summary: percent === null ? null : { percent },
      isOpen,
      open: () => setOpen(true),
      close: () => setOpen(false),
      stage: (files) => {
        if (files.length === 0) return;
        setOpen(true);
        dispatch({ type: 'staged', files });
      },
      unstage: (file) => dispatch({ type: 'unstaged', file }),
      add: (files, plan) => dispatch({ type: 'added', id: crypto.randomUUID(), files, plan }),
      pause,
      resume: (id) => dispatch({ type: 'resumed', id }),
      resumeWith: (id, files) => {
        const sources = matchFiles(uploadOf(id)?.files ?? [], files);
        if (sources) dispatch({ type: 'resumed', id, sources });
        return sources !== null;
      },
      dismiss: async (id) => {
        const upload = uploadOf(id);
        dispatch({ type: 'removed', id });
        if (upload && upload.state !== 'completed') await abandon(upload);
      },
    };
  }, [uploads, staged, percent, isOpen, pause, abandon]);
  return <Context value={value}>{children}</Context>;
}
