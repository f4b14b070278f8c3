import { startCpuTimer } from './cpu-timer.js';

/** A request of a stranger. */
export interface CostlyRequest {
  readonly name: string;
  readonly method?: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Milliseconds of processor time, if it may take less or more than most. */
  readonly maxMs?: number;
}

const many = (count: number, make: (at: number) => string, separator: string): string =>
  Array.from({ length: count }, (_, at) => make(at)).join(separator);

/** Headers that are as long as they may be, with as many parts as fit; each is read by some step of every request. */
export const COSTLY_HEADERS: Readonly<Record<string, string>> = {
  'accept-language': many(900, (at) => `x${at};q=0.${at % 10}`, ',').slice(0, 8_000),
  accept: many(1_000, (at) => `a/${at}`, ',').slice(0, 8_000),
  cookie: many(2_000, (at) => `c${at}=v`, '; ').slice(0, 14_000),
  'if-none-match': many(1_000, (at) => `W/"${at}"`, ', ').slice(0, 8_000),
  'if-match': many(1_000, (at) => `"${at}"`, ', ').slice(0, 8_000),
  range: `bytes=${many(1_000, (at) => `${2 * at}-${2 * at}`, ',')}`.slice(0, 8_000),
  authorization: `Bearer ${'a.'.repeat(3_000)}`,
  referer: `https://${'a.'.repeat(2_000)}/`,
  'user-agent': 'Mozilla/5.0 '.repeat(500),
  'cmcd-session': `${many(500, (at) => `k${at}="v"`, ',')},sid="x`.slice(0, 8_000),
  traceparent: '0'.repeat(4_000),
};

/** A query that is as long as it may be. */
export const COSTLY_QUERY = many(1_800, (at) => `k${at}=1`, '&').slice(0, 12_000);

/** Bodies that fit into what a caller without credentials may send, 64 KiB. */
export const COSTLY_BODIES: readonly (readonly [type: string, body: string])[] = [
  ['application/json', `{${many(7_000, (at) => `"k${at}":1`, ',')}}`.slice(0, 65_000)],
  ['application/json', '['.repeat(32_000) + ']'.repeat(32_000)],
  ['application/json', JSON.stringify({ text: '\u0001'.repeat(10_000) })],
  ['application/x-www-form-urlencoded', many(9_000, (at) => `a${at}=1`, '&').slice(0, 65_000)],
  ['application/x-www-form-urlencoded', `a${'[b]'.repeat(20_000)}=1`],
];

/** What a request may take, with its client, on a slow machine; most take a few milliseconds. */
const MAX_MS = 100;
/** Attempts at a request that takes too long: other work of the process, such as collecting garbage, does not count. */
const ATTEMPTS = 12;

/** Sends a request. Returns why it is too expensive: an unexpected error, or too much processor time in each attempt; null: it is not. */
export async function findExcess(
  url: string,
  { name, path, method = 'GET', headers = {}, body, maxMs = MAX_MS }: CostlyRequest,
): Promise<string | null> {
  let least = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < ATTEMPTS && least > maxMs; attempt += 1) {
    const stop = startCpuTimer();
    const response = await fetch(url + path, { method, headers, redirect: 'manual', ...(body !== undefined && { body }) });
    await response.arrayBuffer();
    least = Math.min(least, stop());
    if (response.status >= 500 && response.status !== 503) return `${name}: ${response.status}`;
  }
  return least > maxMs ? `${name}: ${Math.round(least)} ms of processor time` : null;
}
