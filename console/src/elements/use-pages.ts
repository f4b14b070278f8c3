import { type QueryKey, useInfiniteQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { nextCursor } from './next-cursor';

/** Reads one page of a list: the one that begins at the cursor, or the first one. */
export type ReadPage<Item> = (
  page: { cursor?: number },
  signal: AbortSignal,
) => Promise<{ readonly data: readonly Item[]; readonly response: Response }>;

/** A list that the service returns page by page, with the items of the pages that are loaded; undefined: none is loaded yet. */
export function usePages<Item>(queryKey: QueryKey, read: ReadPage<Item>) {
  const found = useInfiniteQuery({
    queryKey,
    initialPageParam: undefined as number | undefined,
    queryFn: async ({ pageParam, signal }) => {
      const { data, response } = await read(pageParam === undefined ? {} : { cursor: pageParam }, signal);
      return { items: data, next: nextCursor(response) };
    },
    getNextPageParam: ({ next }) => (next === undefined ? undefined : Number(next)),
  });
  return { ...found, items: found.data?.pages.flatMap((page) => page.items) };
}

/** A list of which all pages are loaded one after another, because it is searched in the browser; it is pending until then. */
export function useAllPages<Item>(queryKey: QueryKey, read: ReadPage<Item>) {
  const found = usePages(queryKey, read);
  const { hasNextPage, isFetching, isError, isPending, fetchNextPage } = found;
  useEffect(() => {
    if (hasNextPage && !isFetching && !isError) void fetchNextPage();
  }, [hasNextPage, isFetching, isError, fetchNextPage]);
  return { ...found, isPending: isPending || hasNextPage, hasNextPage: false };
}
