import type { components } from '@media-delivery/sdk';
import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { nextCursor } from '../elements/next-cursor';
import { versionOf } from '../elements/resource-form';
import { api } from '../session';

export type Dropsite = components['schemas']['DropsiteResponse'];
export type DropsiteFields = components['schemas']['CreateDropsiteDto'];

/** Dropsites of one request. */
const PAGE = 50;
/** Media of one request; a row of a wide screen shows six. */
const MEDIA_PAGE = 24;

export type DropsiteState = 'active' | 'ended';

/** The dropsites that are active or have ended, page by page. */
export const useDropsites = (state: DropsiteState) =>
  useInfiniteQuery({
    queryKey: ['dropsites', 'list', state],
    initialPageParam: undefined as number | undefined,
    queryFn: async ({ pageParam, signal }) => {
      const query = { state, limit: PAGE, ...(pageParam !== undefined && { cursor: pageParam }) };
      const { data, response } = await api.GET('/v5/dropsite', { params: { query }, signal });
      return { dropsites: data, next: nextCursor(response) };
    },
    getNextPageParam: ({ next }) => (next === undefined ? undefined : Number(next)),
  });

/** Reads a dropsite with its version. */
export const readDropsite = async (id: number) => versionOf(await api.GET('/v5/dropsite/{id}', { params: { path: { id } } }));

export const useDropsite = (id: number) => useQuery({ queryKey: ['dropsites', id], queryFn: async () => await readDropsite(id) });

/** Creates a dropsite, once for each key. */
export const createDropsite = async (body: DropsiteFields, key: string) =>
  versionOf(await api.POST('/v5/dropsite', { params: { header: { 'Idempotency-Key': key } }, body }));

/** Changes a dropsite whose version is still the current one. */
export const changeDropsite = async (id: number, body: DropsiteFields, etag: string) =>
  versionOf(await api.PUT('/v5/dropsite/{id}', { params: { path: { id }, header: { 'If-Match': etag } }, body }));

/** Deletes a dropsite; what arrived stays. */
export function useDeleteDropsite(id: number) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async () => void (await api.DELETE('/v5/dropsite/{id}', { params: { path: { id } } })),
    onSuccess: async () => {
      queries.removeQueries({ queryKey: ['dropsites', id] });
      await Promise.all([['dropsites', 'list'], ['shares']].map(async (queryKey) => await queries.invalidateQueries({ queryKey })));
    },
  });
}

/** What arrived through the dropsite with a link, newest first, and how many media there are (exact up to 10,000). */
export const useArrived = (dropsite: string) =>
  useInfiniteQuery({
    queryKey: ['media', 'arrived', dropsite],
    initialPageParam: undefined as string | undefined,
    queryFn: async ({ pageParam, signal }) => {
      const query = { dropsite, limit: MEDIA_PAGE, ...(pageParam !== undefined && { cursor: pageParam }) };
      const { data, response } = await api.GET('/v5/mediacontainer', { params: { query }, signal });
      return { containers: data, next: nextCursor(response), total: Number(response.headers.get('total-count') ?? data.length) };
    },
    getNextPageParam: ({ next }) => next,
  });
