import type { components } from '@media-delivery/sdk';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { usePages } from '../elements/use-pages';
import { versionOf } from '../elements/version';
import { keys } from '../query-keys';
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
  usePages(
    keys.dropsites.list(state),
    async (page, signal) => await api.GET('/v5/dropsite', { params: { query: { state, limit: PAGE, ...page } }, signal }),
  );

/** Reads a dropsite with its version. */
export const readDropsite = async (id: number) => versionOf(await api.GET('/v5/dropsite/{id}', { params: { path: { id } } }));

export const useDropsite = (id: number) => useQuery({ queryKey: keys.dropsites.one(id), queryFn: async () => await readDropsite(id) });

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
      queries.removeQueries({ queryKey: keys.dropsites.one(id) });
      await Promise.all([keys.dropsites.lists, keys.shares.all].map(async (queryKey) => await queries.invalidateQueries({ queryKey })));
    },
  });
}

/** What arrived through the dropsite with a link, newest first, and how many media there are (exact up to 10,000). */
export const useArrived = (dropsite: string) =>
  usePages(
    keys.media.ofDropsite(dropsite),
    async (page, signal) => await api.GET('/v5/mediacontainer', { params: { query: { dropsite, limit: MEDIA_PAGE, ...page } }, signal }),
  );
