/** Bytes from `start` to `end`, both included. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

const ONE_RANGE = /^bytes=\s*(?:(\d{1,15})-(\d{0,15})|-(\d{1,15}))\s*$/;

/**
 * Parses a Range header for `total` bytes (RFC 9110 section 14). null: all of them, also for an invalid header or several ranges, which a
 * server may ignore; `unsatisfiable`: the range is beyond the end.
 */
export function parseRange(header: string | undefined, total: number): Range | 'unsatisfiable' | null {
  const [match, first, last, suffix] = ONE_RANGE.exec(header ?? '') ?? [];
  if (match === undefined) return null;
  if (first === undefined) {
    const length = Math.min(Number(suffix), total);
    return length === 0 ? 'unsatisfiable' : { start: total - length, end: total - 1 };
  }
  const [start, end] = [Number(first), last ? Number(last) : total - 1];
  if (last && end < start) return null; // invalid, so it is ignored
  return start >= total ? 'unsatisfiable' : { start, end: Math.min(end, total - 1) };
}
