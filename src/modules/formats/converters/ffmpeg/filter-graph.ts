import type { Parameters } from '../../format-settings.js';
import type { ArgumentReason } from '../converter.js';
import { parseFilters } from './ffmpeg-parameters.js';

/** A filter: name and options. Values may contain anything; they are escaped when the graph is written. */
export interface FilterNode {
  readonly name: string;
  readonly options: Readonly<Record<string, string | number>>;
  /** Why it is there, for people; absent: for the reason that all filters of this name have (program-reasons.ts). */
  readonly reason?: string;
}

/** A chain of filters between streams: `from` are streams such as `0:v:0` or labels of other chains, `to` is a label. */
export interface FilterChain {
  readonly from: readonly string[];
  readonly filters: readonly FilterNode[];
  readonly to: string;
}

export const filter = (name: string, options: FilterNode['options'] = {}, reason?: string): FilterNode => ({
  name,
  options,
  ...(reason !== undefined && { reason }),
});

/** ffmpeg unescapes a value twice: as part of the graph, and as part of a filter's options (ffmpeg-filters, section 4.1). */
const escapeValue = (value: string): string => value.replaceAll(/[\\':]/g, '\\$&').replaceAll(/[\\'[\],;]/g, '\\$&');

const writeFilter = ({ name, options }: FilterNode): string => {
  const written = Object.entries(options).map(([key, value]) =>
    key.startsWith('#') ? String(value) : `${key}=${escapeValue(String(value))}`,
  );
  return written.length > 0 ? `${name}=${written.join(':')}` : name;
};

/** Returns the filters that have a reason, with it. */
export const reasonsOf = (filters: readonly FilterNode[]): readonly ArgumentReason[] =>
  filters.flatMap(({ reason, ...node }) => (reason === undefined ? [] : [{ argument: writeFilter(node), reason }]));

/** Writes the filters of one chain, for -vf and -af. */
export const writeFilters = (filters: readonly FilterNode[]): string => filters.map(writeFilter).join(',');

/** Writes a whole graph, for -filter_complex. */
export const writeGraph = (chains: readonly FilterChain[]): string =>
  chains.map(({ from, filters, to }) => `${from.map((label) => `[${label}]`).join('')}${writeFilters(filters)}[${to}]`).join(';');

/** The kind of content of a file type, and how ffmpeg writes it. */
export interface OutputKind {
  readonly holds: 'video' | 'audio' | 'image';
  readonly muxer: string;
  /** Options that this type always needs. */
  readonly options: readonly string[];
}

/** What the picture or the sound needs: options (including the mapping), chains of the graph, and a further input. */
export interface StreamPlan {
  readonly options: readonly string[];
  readonly chains: readonly FilterChain[];
  readonly input: { readonly name: string; readonly holds: 'media' | 'image' } | null;
  readonly reasons: readonly ArgumentReason[];
}

/** The plan of a stream without a watermark. */
export const unmixed = (options: readonly string[]): StreamPlan => ({ options, chains: [], input: null, reasons: [] });

export const isOn = (command: Parameters, name: string): boolean => String(command[name]) === 'true';

/** Parses a format's `vf` or `af` to filters of the graph. */
export function userFilters(text: Parameters[string] | undefined, kind: 'video' | 'audio'): readonly FilterNode[] {
  if (text === undefined || text === false) return [];
  const filters = parseFilters(String(text), kind);
  if (filters === null) throw new Error('These filters should have been refused before.');
  // A key with # is not written as a name in ffmpeg's notation; the values have been validated and need no escaping.
  return filters.map(({ name, args }) =>
    filter(name, Object.fromEntries(args.map((arg, index) => [`#${index}`, arg])), `parameter ${kind === 'video' ? 'vf' : 'af'}`),
  );
}
