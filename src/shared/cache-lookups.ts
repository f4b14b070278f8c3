import { SeriesCounter, seriesByValue } from './series-counter.js';

const lookups = new SeriesCounter({
  name: 'cache_lookups_total',
  help: 'Look-ups in caches, by cache and result.',
  labels: ['cache', 'result'],
});

/** The counters of one cache, by result. */
export const cacheLookups = (cache: string) => seriesByValue(lookups, 'result', ['hit', 'miss'], { cache });
