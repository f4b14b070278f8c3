/** An address as a number. An IPv4-mapped IPv6 address (RFC 4291 section 2.5.5.2) counts as the IPv4 address. */
export interface Address {
  readonly family: 4 | 6;
  readonly value: bigint;
  /** The IPv4 address that a translated address contains (64:ff9b::/96, RFC 6052), whose rules apply too. Null for all others. */
  readonly translated: bigint | null;
}

const V4_MAPPED = 0xffffn; // the upper 96 bits of ::ffff:0:0/96
const NAT64 = 0x64ff9b0000000000000000n; // the upper 96 bits of 64:ff9b::/96
const V4_BITS = 32n;
const V4_MASK = 0xffffffffn;

/**
 * Addresses that a translator must not embed in the well-known prefix (RFC 6052 section 3.1): private, loopback, link-local and shared ones. An
 * address that embeds one of them does not count as translated.
 */
const NEVER_TRANSLATED: readonly (readonly [base: bigint, prefix: bigint])[] = [
  [0x00000000n, 8n],
  [0x0a000000n, 8n],
  [0x64400000n, 10n],
  [0x7f000000n, 8n],
  [0xa9fe0000n, 16n],
  [0xac100000n, 12n],
  [0xc0a80000n, 16n],
];

const BRACKETED = /^\[([^\]]*)\](?::(\d{1,5}))?$/;
const V4_WITH_PORT = /^(\d+\.\d+\.\d+\.\d+):(\d{1,5})$/;
const ZONE = /%[\w.~%-]{1,64}$/;
const OCTET = /^(?:0|[1-9]\d{0,2})$/; // some parsers read a leading zero as octal, so it is not accepted
const GROUP = /^[\da-f]{1,4}$/i;

/** Parses an address as clients and proxies write it, with an optional port, brackets or zone. Null: the text is not an address. */
export function parseAddress(text: string): Address | null {
  const [, bracketed, portBehindBracket] = BRACKETED.exec(text) ?? [];
  const [, v4, portBehindV4] = V4_WITH_PORT.exec(text) ?? [];
  if (Number(portBehindBracket ?? portBehindV4 ?? 0) > 65_535) return null;
  const bare = bracketed ?? v4 ?? text;
  const value4 = bracketed === undefined ? parseV4(bare) : null;
  if (value4 !== null) return { family: 4, value: value4, translated: null };
  const value6 = parseV6(bare.replace(ZONE, ''));
  return value6 === null ? null : fromV6(value6);
}

function fromV6(value: bigint): Address {
  const [upper, lower] = [value >> V4_BITS, value & V4_MASK];
  if (upper === V4_MAPPED) return { family: 4, value: lower, translated: null };
  return { family: 6, value, translated: upper === NAT64 && mayBeTranslated(lower) ? lower : null };
}

const mayBeTranslated = (value: bigint): boolean =>
  NEVER_TRANSLATED.every(([base, prefix]) => value >> (V4_BITS - prefix) !== base >> (V4_BITS - prefix));

/** Parses an IPv4 address of four decimal numbers; null: the text is not one. */
export function parseV4(text: string): bigint | null {
  const octets = text.split('.');
  if (octets.length !== 4) return null;
  let value = 0;
  for (const octet of octets) {
    if (!OCTET.test(octet) || Number(octet) > 255) return null;
    value = value * 256 + Number(octet);
  }
  return BigInt(value);
}

/**
 * Parses an IPv6 address (RFC 4291 section 2.2): eight groups, `::` for at least one of them, the last two optionally written as IPv4. A zone is not
 * accepted.
 */
export function parseV6(text: string): bigint | null {
  const halves = text.split('::');
  if (halves.length > 2) return null;
  const last = halves.length - 1;
  const parts = halves.map((half, index) => groupsOf(half, index === last));
  const [left, right = []] = parts;
  if (!left || parts.includes(null) || !right) return null;
  const missing = 8 - left.length - right.length;
  if (halves.length === 1 ? missing !== 0 : missing < 1) return null;
  const groups = [...left, ...Array.from({ length: missing }, () => '0'), ...right];
  return BigInt(`0x${groups.map((group) => group.padStart(4, '0')).join('')}`);
}

function groupsOf(half: string, isLast: boolean): string[] | null {
  if (half === '') return [];
  const groups = half.split(':');
  const tail = groups.at(-1) ?? '';
  if (isLast && tail.includes('.')) {
    const value = parseV4(tail);
    if (value === null) return null;
    groups.splice(-1, 1, (value >> 16n).toString(16), (value & 0xffffn).toString(16));
  }
  return groups.every((group) => GROUP.test(group)) ? groups : null;
}

interface Range {
  readonly family: 4 | 6;
  readonly first: bigint;
  readonly last: bigint;
  /** The prefix length in terms of IPv6, so that ranges of both families can be compared. */
  readonly depth: number;
}

interface Row<Value> extends Range {
  readonly value: Value;
  /** The narrowest range that contains this one, or null. */
  readonly parent: Row<Value> | null;
}

const CIDR = /^([^/]+)(?:\/(0|[1-9]\d{0,2}))?$/;

/** Parses a range in CIDR notation; bits after the prefix are ignored, and without a prefix it is a single address. Null: invalid. */
export function parseCidr(text: string): Range | null {
  const [, address = '', prefixText] = CIDR.exec(text.trim()) ?? [];
  const value4 = parseV4(address);
  if (value4 !== null) return rangeOf(4, value4, Number(prefixText ?? 32));
  const value6 = parseV6(address);
  if (value6 === null) return null;
  const prefix = Number(prefixText ?? 128);
  const isMapped = value6 >> 32n === V4_MAPPED && prefix >= 96;
  return isMapped ? rangeOf(4, value6 & 0xffffffffn, prefix - 96) : rangeOf(6, value6, prefix);
}

function rangeOf(family: 4 | 6, value: bigint, prefix: number): Range | null {
  const bits = family === 4 ? 32 : 128;
  if (prefix > bits) return null;
  const free = BigInt(bits - prefix);
  const first = (value >> free) << free;
  return { family, first, last: first + (1n << free) - 1n, depth: prefix + 128 - bits };
}

/**
 * A table of address ranges with a value for each. Two ranges are either disjoint or nested, so a look-up is a binary search by the first address,
 * followed by a walk through the enclosing ranges: 14 comparisons for 10,000 ranges.
 */
export class CidrTable<Value> {
  private readonly rows: Readonly<Record<4 | 6, readonly Row<Value>[]>>;

  /** Invalid ranges are left out: no address is in them. */
  constructor(entries: Iterable<{ readonly cidr: string; readonly value: Value }>) {
    const found = [...entries].flatMap(({ cidr, value }) => {
      const range = parseCidr(cidr);
      return range ? [{ ...range, value }] : [];
    });
    this.rows = {
      4: linkEnclosing(found.filter(({ family }) => family === 4)),
      6: linkEnclosing(found.filter(({ family }) => family === 6)),
    };
  }

  get isEmpty(): boolean {
    return this.rows[4].length + this.rows[6].length === 0;
  }

  /** Whether any range contains the address. */
  covers({ family, value, translated }: Address): boolean {
    if (findInnermost(this.rows[family], value)) return true;
    return translated !== null && findInnermost(this.rows[4], translated) !== null;
  }

  /** The values of all ranges that contain the address, the narrowest first. */
  matching({ family, value, translated }: Address): Value[] {
    const rows = enclosingRows(findInnermost(this.rows[family], value));
    if (translated !== null) rows.push(...enclosingRows(findInnermost(this.rows[4], translated)));
    return rows.sort((a, b) => b.depth - a.depth).map((row) => row.value);
  }
}

/** Sorts the ranges by their first address, wider ones first, and links each to the range that contains it. */
function linkEnclosing<Value>(ranges: readonly (Range & { readonly value: Value })[]): Row<Value>[] {
  const sorted = [...ranges].sort((a, b) => (a.first === b.first ? a.depth - b.depth : a.first < b.first ? -1 : 1));
  const rows: Row<Value>[] = [];
  let around: Row<Value> | null = null;
  for (const range of sorted) {
    while (around && around.last < range.first) around = around.parent;
    around = { ...range, parent: around };
    rows.push(around);
  }
  return rows;
}

/** The narrowest range that contains the value. */
function findInnermost<Value>(rows: readonly Row<Value>[], value: bigint): Row<Value> | null {
  let [low, high] = [0, rows.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((rows[middle] as Row<Value>).first <= value) low = middle + 1;
    else high = middle;
  }
  let row: Row<Value> | null = rows[low - 1] ?? null;
  while (row && row.last < value) row = row.parent;
  return row;
}

function enclosingRows<Value>(row: Row<Value> | null): Row<Value>[] {
  const rows: Row<Value>[] = [];
  for (let next = row; next; next = next.parent) rows.push(next);
  return rows;
}
