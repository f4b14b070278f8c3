import { nextCursor } from '@media-delivery/sdk';
import { type QueryKey, useInfiniteQuery, useQuery } from '@tanstack/react-query';

/**
 * Reads one page of a list: the one that begins at the cursor, or the first one. A cursor is sent as it came, whether its operation calls it a number
 * or a text.
 */
export type ReadPage<Item> = (
  page: { readonly cursor?: never },
  signal: AbortSignal,
) => Promise<{ readonly data: readonly Item[]; readonly response: Response }>;

interface Options<Item> {
  /** The time until the list is loaded again, given the items that are loaded, in milliseconds; false: it is not. */
  readonly refetchInterval?: (items: readonly Item[]) => number | false;
}

/** A list that the service returns page by page, with the items of the pages that are loaded and how many there are; undefined: none is loaded yet. */
export function usePages<Item>(queryKey: QueryKey, read: ReadPage<Item>, { refetchInterval = () => false }: Options<Item> = {}) {
  const found = useInfiniteQuery({
    queryKey,
    initialPageParam: undefined as string | undefined,
    queryFn: async ({ pageParam, signal }) => {
      const { data, response } = await read(pageParam === undefined ? {} : { cursor: pageParam as never }, signal);
      return { items: data, next: nextCursor(response), total: Number.parseInt(response.headers.get('total-count') ?? '', 10) };
    },
    getNextPageParam: ({ next }) => next,
    refetchInterval: ({ state }) => refetchInterval(state.data?.pages.flatMap(({ items }) => items) ?? []),
  });
  const [first] = found.data?.pages ?? [];
  return { ...found, items: found.data?.pages.flatMap(({ items }) => items), total: first && (first.total || first.items.length) };
}

/** A list of which all pages are loaded, because it is searched in the browser. */
export function useAllPages<Item>(queryKey: QueryKey, pages: (signal: AbortSignal) => AsyncIterable<readonly Item[]>) {
  const found = useQuery({
    queryKey,
    queryFn: async ({ signal }) => {
      const items: Item[] = [];
      for await (const page of pages(signal)) items.push(...page);
      return items;
    },
  });
  return { ...found, items: found.data };
}
