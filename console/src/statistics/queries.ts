import type { components } from '@media-delivery/sdk';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { usePages } from '../elements/use-pages';
import { keys } from '../query-keys';
import { api } from '../session';
import { periodOf, type Split, type StatisticsFilters, type StatisticsSearch } from './statistics-search';

export type Row = components['schemas']['StatisticsRowResponse'];

/** Rows of one request; more are loaded by a button. */
const PAGE = 50;
/** The longest period of the service has as many days. */
const MAX_DAYS = 366;

function queryOf(search: StatisticsSearch) {
  const { day, mediaContainer, embedLink, playerConfiguration, host, device, rule } = search;
  const filters: StatisticsFilters = { day, mediaContainer, embedLink, playerConfiguration, host, device, rule };
  return { ...periodOf(search, new Date()), ...filters };
}

/** The figures of each day on which something was counted. */
export function useDays(search: StatisticsSearch) {
  const query = { ...queryOf(search), by: 'day', limit: MAX_DAYS } as const;
  return useQuery({
    queryKey: keys.statistics.days(query),
    queryFn: async ({ signal }) => (await api.GET('/v5/statistics', { params: { query }, signal })).data,
    placeholderData: keepPreviousData,
  });
}

/** The figures by something else than days, page by page. */
export function useRows(search: StatisticsSearch, by: Exclude<Split, 'day'>) {
  const query = { ...queryOf(search), by, limit: PAGE };
  return usePages(
    keys.statistics.rows(query),
    async (page, signal) => await api.GET('/v5/statistics', { params: { query: { ...query, ...page } }, signal }),
  );
}
