/** A filter as a name and its options; the values may be anything, they are escaped when the graph is written. */
export interface FilterNode {
  readonly name: string;
  readonly options: Readonly<Record<string, string | number>>;
}

/** Filters one after the other, between streams: `from` are `0:v:0` or labels of other chains, `to` is a label. */
export interface FilterChain {
  readonly from: readonly string[];
  readonly filters: readonly FilterNode[];
  readonly to: string;
}

export const filter = (name: string, options: FilterNode['options'] = {}): FilterNode => ({ name, options });

/** ffmpeg reads a value twice: once as part of the graph, once as part of a filter's options (ffmpeg-filters, section 4.1). */
const escapeValue = (value: string): string => value.replaceAll(/[\\':]/g, '\\$&').replaceAll(/[\\'[\],;]/g, '\\$&');

const writeFilter = ({ name, options }: FilterNode): string => {
  const written = Object.entries(options).map(([key, value]) =>
    key.startsWith('#') ? String(value) : `${key}=${escapeValue(String(value))}`,
  );
  return written.length > 0 ? `${name}=${written.join(':')}` : name;
};

/** The filters of one chain, for -vf and -af. */
export const writeFilters = (filters: readonly FilterNode[]): string => filters.map(writeFilter).join(',');

/** A whole graph, for -filter_complex. */
export const writeGraph = (chains: readonly FilterChain[]): string =>
  chains.map(({ from, filters, to }) => `${from.map((label) => `[${label}]`).join('')}${writeFilters(filters)}[${to}]`).join(';');
