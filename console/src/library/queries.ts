import type { components } from '@media-delivery/sdk';
import { keepPreviousData, useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { nextCursor } from '../elements/next-cursor';
import { api } from '../session';
import type { LibrarySearch } from './library-search';

export type Container = components['schemas']['MediaContainerResponse'];

/** Containers of one request; a screen shows fewer. */
const PAGE = 60;

const filtersOf = ({ search, type, tag, extension, state }: LibrarySearch) => ({
  search,
  type,
  tag: tag === undefined ? undefined : [tag],
  extension,
  state,
});

/** The containers that match, page by page, and how many there are (exact up to 10,000). */
export function useContainers(search: LibrarySearch) {
  const { sort, order } = search;
  const query = { ...filtersOf(search), sort, order, limit: PAGE };
  return useInfiniteQuery({
    queryKey: ['media', 'list', query],
    initialPageParam: undefined as string | undefined,
    queryFn: async ({ pageParam, signal }) => {
      const { data, response } = await api.GET('/v5/mediacontainer', { params: { query: { ...query, cursor: pageParam } }, signal });
      return { containers: data, next: nextCursor(response), total: Number(response.headers.get('total-count') ?? data.length) };
    },
    getNextPageParam: ({ next }) => next,
    placeholderData: keepPreviousData,
  });
}

/** How many containers have each type, tag and extension among those that match. */
export function useFacets(search: LibrarySearch) {
  const query = filtersOf(search);
  return useQuery({
    queryKey: ['media', 'facets', query],
    queryFn: async ({ signal }) => (await api.GET('/v5/mediacontainer/facets', { params: { query }, signal })).data,
    placeholderData: keepPreviousData,
  });
}

/** A change of many containers: tags that are added, or where they go (0: the library, 1: the trash). */
export interface BulkChange {
  readonly ids: readonly number[];
  readonly addTags?: readonly string[];
  readonly flag?: 0 | 1;
}

/** Changes many containers; pages that show them are loaded again. */
export function useBulkChange() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async ({ ids, addTags, flag }: BulkChange) => {
      const set = addTags ? { set: { addTags: [...addTags] } } : {};
      await api.POST('/v5/mediacontainer/bulk', { body: { ids: [...ids], ...set, ...(flag === undefined ? {} : { flag }) } });
    },
    onSettled: async () => await queries.invalidateQueries({ queryKey: ['media'] }),
  });
}
