import { ProblemError } from '@media-delivery/sdk';
import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { type Dispatch, useCallback, useEffect, useRef } from 'react';
import { toLicense } from '../library/license';
import { changeMany, refreshMedia } from '../library/queries';
import { api, session } from '../session';
import { isClaimed, withClaim } from './upload-claim';
import { nextUpload, type Upload, type UploadAction } from './upload-list';
import { hasRecord, keepRecord, readRecords, removeRecord, type UploadPlan } from './upload-record';

/** What is in flight when an upload is cancelled ends within this time, or is not waited for: the service removes what arrives later. */
const CANCEL_MS = 2_000;

interface Transfer {
  readonly controller: AbortController;
  readonly ended: Promise<void>;
}

/** Sends the files of the uploads in the list, one upload after the other, and finds those that an earlier page has left unfinished. */
export function useTransfers(uploads: readonly Upload[], dispatch: Dispatch<UploadAction>) {
  const transfers = useRef(new Map<string, Transfer>());
  const queries = useQueryClient();

  useEffect(() => {
    const next = nextUpload(uploads);
    if (!next || transfers.current.has(next.id)) return;
    const controller = new AbortController();
    const ended = transfer(next, { signal: controller.signal, dispatch, queries }).finally(() => transfers.current.delete(next.id));
    transfers.current.set(next.id, { controller, ended });
  }, [uploads, dispatch, queries]);

  useEffect(() => {
    void unfinishedRecords().then((records) => dispatch({ type: 'found', records }));
  }, [dispatch]);

  const pause = useCallback((id: string) => transfers.current.get(id)?.controller.abort(), []);
  /** Stops an upload, and removes what has not arrived of it. */
  const abandon = useCallback(
    async ({ id, files }: Upload) => {
      pause(id);
      await Promise.race([transfers.current.get(id)?.ended, new Promise((resolve) => setTimeout(resolve, CANCEL_MS))]);
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
    [pause, queries],
  );
  return { pause, abandon };
}

interface Surroundings {
  readonly signal: AbortSignal;
  readonly dispatch: Dispatch<UploadAction>;
  readonly queries: QueryClient;
}

/** Sends the files of an upload and carries out its plan. */
async function transfer({ id, files, sources, plan }: Upload, { signal, dispatch, queries }: Surroundings): Promise<void> {
  if (!sources) return;
  dispatch({ type: 'started', id });
  try {
    keepRecord({ id, userId: await userId(), files, plan });
    const upload = async () =>
      await api.upload(sources, {
        ...{ uploadId: id, signal },
        onProgress: ({ loaded, total }) => dispatch({ type: 'progressed', id, loaded, total }),
      });
    const { items } = await withClaim(id, upload);
    const containerIds = items.map(({ mediaContainerId }) => mediaContainerId);
    const problems = await carryOut(plan, containerIds);
    removeRecord(id);
    dispatch({ type: 'completed', id, containerIds, problems });
    await refreshMedia(queries);
  } catch (error) {
    dispatch(signal.aborted ? { type: 'paused', id } : { type: 'failed', id, error });
  }
}

/** Gives what has arrived its tags, licence and formats; returns why some of it could not be done. */
async function carryOut({ tags, formatIds, license }: UploadPlan, ids: readonly number[]): Promise<string[]> {
  const wanted = toLicense(license);
  if (tags.length === 0 && formatIds.length === 0 && wanted === null) return [];
  const { failed } = await changeMany(ids, { addTags: tags, transcode: formatIds, ...(wanted && { license: wanted }) });
  return [...new Set(failed.map(({ message }) => message))];
}

const userId = async (): Promise<number> => (await session()).tokens.user?.id ?? 0;

/** What an earlier page of this person has left unfinished, and no other window is uploading. */
async function unfinishedRecords() {
  const records = readRecords(await userId());
  const claimed = await Promise.all(records.map(async ({ id }) => await isClaimed(id)));
  return records.filter((_, n) => !claimed[n]);
}
