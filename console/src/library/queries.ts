import { type components, limits, nextCursor } from '@media-delivery/sdk';
import {
  type InfiniteData,
  keepPreviousData,
  type QueryClient,
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { useRef } from 'react';
import { MAX_NAME } from '../elements/max-name';
import { keys } from '../query-keys';
import { api } from '../session';
import type { LibrarySearch } from './library-search';

export type Container = components['schemas']['MediaContainerResponse'];

/** What the library keeps of a container: a few hundred bytes, so that a hundred thousand fit in memory. */
export interface Medium {
  readonly id: number;
  readonly name: string;
  readonly type: Container['type'];
  readonly tags: readonly string[];
  readonly license: Container['license'];
  readonly preview: Container['preview'];
  readonly problem: Container['problem'];
  readonly createdAt: string;
  /** Of the original; 0: there is no file. */
  readonly fileSize: number;
  /** Seconds; null: unknown, or not a film or sound. */
  readonly duration: number | null;
}

/** Containers of one request; a screen shows fewer. */
const PAGE = 100;
/** Containers of one request on the way to a place far down the list. */
const FAR_PAGE = 1_000;
/** A list of more pages is not loaded anew as a whole when media change. */
const MAX_RELOADED_PAGES = 5;
/** The previews of new media are made within this time; until then the list is loaded again every few seconds. */
const PREVIEW_TIME_MS = 120_000;
const PREVIEW_POLL_MS = 4_000;

/** What the library keeps of a container. The original is the first of its files. */
export function mediumOf({ id, name, type, tags, license, preview, problem, createdAt, media }: Container): Medium {
  const files = media.filter(({ role }) => role === null).sort((left, right) => left.id - right.id);
  const duration = files.find((file) => file.duration && file.type !== 'image')?.duration ?? null;
  const fileSize = files[0]?.fileSize ?? 0;
  return { id, name: name.slice(0, MAX_NAME), type, tags, license, preview, problem, createdAt, fileSize, duration };
}

const filtersOf = ({ search, type, tag, extension, after, before, state }: LibrarySearch) => ({
  search,
  type,
  tag: tag === undefined ? undefined : [tag],
  extension,
  createdAfter: after,
  createdBefore: before === undefined ? undefined : dayAfter(before),
  state,
});

/** The beginning of the next day in UTC: a period includes its last day. */
const dayAfter = (day: string): string => new Date(Date.parse(day) + 86_400_000).toISOString();

interface Page {
  readonly media: readonly Medium[];
  readonly next: string | undefined;
  readonly total: Total;
}

/** How many match; not exact beyond 10,000. */
interface Total {
  readonly count: number;
  readonly isExact: boolean;
}

type Pages = InfiniteData<Page, string | undefined>;

const pageCount = (data: unknown): number => (data as Pages | undefined)?.pages.length ?? 0;

const isLong = (data: unknown): boolean => pageCount(data) > MAX_RELOADED_PAGES;

/** Whether previews of the first media are probably being made. */
const awaitsPreviews = (data: Pages | undefined): boolean =>
  pageCount(data) === 1 &&
  (data?.pages[0]?.media.some(
    ({ type, preview, problem, createdAt }) =>
      type !== 'audio' && preview === null && problem === null && Date.now() - Date.parse(createdAt) < PREVIEW_TIME_MS,
  ) ??
    false);

/** The media that match, from the first one on, and how many there are. `loadUntil` loads as far as a place in the list. */
export function useMedia(search: LibrarySearch) {
  const wanted = useRef(0);
  const { problem, sort, order } = search;
  const query = { ...filtersOf(search), problem: problem && problem === 'true', sort, order };
  const found = useInfiniteQuery({
    queryKey: keys.media.list(query),
    initialPageParam: undefined as string | undefined,
    queryFn: async ({ pageParam, signal }): Promise<Page> => {
      const limit = wanted.current > FAR_PAGE ? FAR_PAGE : PAGE;
      const { data, response } = await api.GET('/v5/mediacontainer', {
        params: { query: { ...query, limit, cursor: pageParam } },
        signal,
      });
      const counted = response.headers.get('total-count') ?? String(data.length);
      return {
        media: data.map(mediumOf),
        next: nextCursor(response),
        total: { count: Number.parseInt(counted, 10), isExact: !counted.endsWith('+') },
      };
    },
    getNextPageParam: ({ next }) => next,
    placeholderData: keepPreviousData,
    structuralSharing: false, // comparing all media with each page that arrives would take longer than loading it
    refetchOnMount: ({ state }) => !isLong(state.data),
    refetchOnReconnect: false,
    refetchOnWindowFocus: false,
    refetchInterval: ({ state }) => (awaitsPreviews(state.data as Pages | undefined) ? PREVIEW_POLL_MS : false),
  });
  const { hasNextPage, isFetching, isError, fetchNextPage } = found;
  const loadUntil = (place: number, loaded: number) => {
    wanted.current = place - loaded;
    if (place >= loaded && hasNextPage && !isFetching && !isError) void fetchNextPage();
  };
  return { ...found, loadUntil };
}

/** How many containers have each type, tag and extension among those that match, with or without a problem. */
export function useFacets(search: LibrarySearch) {
  const query = filtersOf(search);
  return useQuery({
    queryKey: keys.media.facets(query),
    queryFn: async ({ signal }) => (await api.GET('/v5/mediacontainer/facets', { params: { query }, signal })).data,
    placeholderData: keepPreviousData,
  });
}

/** Whether the customer has any media, in the trash too; undefined: not known yet. */
export function useHasMedia(enabled = true): boolean | undefined {
  const { data, isFetching } = useQuery({
    queryKey: keys.media.any,
    enabled,
    staleTime: 0, // an upload of another window or program counts at once
    queryFn: async ({ signal }) =>
      (await api.GET('/v5/mediacontainer', { params: { query: { state: 'all', limit: 1 } }, signal })).data.length > 0,
  });
  return isFetching ? undefined : data;
}

/** Loads again what pages show of media, but lists of many pages only when they are opened anew. */
export async function refreshMedia(queries: QueryClient): Promise<void> {
  const isLongList = (queryKey: readonly unknown[], data: unknown) => queryKey[1] === keys.media.lists[1] && isLong(data);
  await queries.invalidateQueries({ queryKey: keys.media.all, predicate: ({ queryKey, state }) => !isLongList(queryKey, state.data) });
}

/** Changes media in the lists that have been loaded, which need not be loaded again then; null: the medium leaves the list. */
export function changeListed(queries: QueryClient, ids: ReadonlySet<number>, change: (medium: Medium) => Medium | null): void {
  const changed = (media: readonly Medium[]) =>
    media.flatMap((medium) => {
      const result = ids.has(medium.id) ? change(medium) : medium;
      return result ? [result] : [];
    });
  queries.setQueriesData<Pages>({ queryKey: keys.media.lists }, (data) => {
    if (!data) return data;
    const pages = data.pages.map((page) => ({ ...page, media: changed(page.media) }));
    const loaded = (all: readonly Page[]) => all.reduce((sum, { media }) => sum + media.length, 0);
    const removed = loaded(data.pages) - loaded(pages);
    return { ...data, pages: pages.map(({ total, ...page }) => ({ ...page, total: { ...total, count: total.count - removed } })) };
  });
}

const MAX_BULK = limits.BulkChangeDto.ids.maxItems;

/** A change of many containers: their tags, licence, renditions, or where they go (0: the library, 1: the trash). */
export interface BulkChange {
  readonly addTags?: readonly string[];
  readonly removeTags?: readonly string[];
  readonly license?: Container['license'];
  readonly transcode?: readonly number[];
  readonly flag?: 0 | 1;
}

export interface BulkResult {
  readonly changed: number;
  readonly failed: readonly { readonly id: number; readonly message: string }[];
}

/** Changes containers, a thousand at a time; reports which could not be changed and why. */
export async function changeMany(
  ids: readonly number[],
  { addTags, removeTags, license, transcode, flag }: BulkChange,
): Promise<BulkResult> {
  const set = {
    ...(addTags?.length && { addTags: [...addTags] }),
    ...(removeTags?.length && { removeTags: [...removeTags] }),
    ...(license !== undefined && { license }),
  };
  const body = {
    ...(Object.keys(set).length > 0 && { set }),
    ...(transcode?.length && { transcode: [...transcode] }),
    ...(flag !== undefined && { flag }),
  };
  const result = { changed: 0, failed: [] as { id: number; message: string }[] };
  for (let start = 0; start < ids.length; start += MAX_BULK) {
    const { data } = await api.POST('/v5/mediacontainer/bulk', { body: { ids: ids.slice(start, start + MAX_BULK), ...body } });
    result.changed += data.changed;
    result.failed.push(...data.failed);
  }
  return result;
}

/** Changes many containers; the lists show it at once, other pages are loaded again. */
export function useBulkChange() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async ({ ids, ...changes }: BulkChange & { readonly ids: readonly number[] }) => {
      const result = await changeMany(ids, changes);
      const refused = new Set(result.failed.map(({ id }) => id));
      const before = queries.getQueriesData<Pages>({ queryKey: keys.media.lists });
      changeListed(queries, new Set(ids.filter((id) => !refused.has(id))), (medium) => changedMedium(medium, changes));
      /** Shows those lists as they were that are not loaded again, once the change has been undone. */
      const restoreLists = () => {
        for (const [queryKey, data] of before) if (isLong(data)) queries.setQueryData(queryKey, data);
      };
      return { ...result, restoreLists };
    },
    onSettled: async () => await refreshMedia(queries),
  });
}

/** A medium of a list after a change. */
function changedMedium(medium: Medium, { addTags = [], removeTags = [], license = medium.license, flag }: BulkChange): Medium | null {
  if (flag !== undefined) return null;
  const tags = [...new Set([...medium.tags.filter((tag) => !removeTags.includes(tag)), ...addTags])];
  return { ...medium, tags, license };
}
