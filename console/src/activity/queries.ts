import type { components } from '@media-delivery/sdk';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { usePages } from '../elements/use-pages';
import { keys } from '../query-keys';
import { api } from '../session';
import { type State, stateOf } from './activity-search';

export type Job = components['schemas']['ActivityResponse'];

/** Jobs of one request. */
const PAGE = 50;
/** Often enough to follow the progress of a rendition. */
const POLL_INTERVAL_MS = 3_000;

/** The jobs in a state, newest first, page by page; they are loaded again every few seconds while one of them has not ended. */
export function useJobs(state: State | undefined) {
  const status = state === 'waiting' ? 'running' : state;
  const found = usePages(
    keys.activity.jobs(status),
    async (page, signal) => await api.GET('/v5/activity', { params: { query: { status, limit: PAGE, ...page } }, signal }),
    { refetchInterval: (jobs) => (jobs.some((job) => job.status === 'running') ? POLL_INTERVAL_MS : false) },
  );
  return { ...found, items: found.items?.filter((job) => state === undefined || stateOf(job) === state) };
}

/** The last output of the program of a failed job; null: it wrote nothing, or no program failed. */
export const useLog = (jobId: string, isShown: boolean) =>
  useQuery({
    queryKey: keys.activity.log(jobId),
    enabled: isShown,
    queryFn: async ({ signal }) => {
      const { data } = await api.GET('/v5/activity/jobResult/{jobId}', { params: { path: { jobId } }, signal });
      return 'log' in data && data.log ? data.log : null;
    },
  });

/** Makes the rendition of a failed job again. */
export function useRetry({ mediaContainerId, formatId }: Job) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async () => {
      const params = { path: { id: mediaContainerId as number } };
      await api.POST('/v5/mediacontainer/{id}/transcode', { params, body: { formatIds: [formatId as number] } });
    },
    onSuccess: async () => await queries.invalidateQueries({ queryKey: keys.activity.all }),
  });
}

/** Cancels a rendition that waits or is being made. */
export function useCancel({ jobId }: Job) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async () => void (await api.DELETE('/v5/activity/{jobId}', { params: { path: { jobId: jobId as string } } })),
    onSettled: async () => await queries.invalidateQueries({ queryKey: keys.activity.all }),
  });
}
