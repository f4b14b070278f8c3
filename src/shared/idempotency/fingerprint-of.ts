import { sha256 } from '../secrets/index.js';

/** What makes two requests the same. */
export interface ComparedRequest {
  readonly method: string;
  /** With its query. */
  readonly originalUrl: string;
  readonly body: unknown;
}

/** SHA-256 of method, path, query and body; the order in which an object names its members says nothing. */
export const fingerprintOf = ({ method, originalUrl, body }: ComparedRequest): string =>
  sha256(JSON.stringify([method, originalUrl, sorted(body ?? {})]));

/** As lists with their kind, for an object would put its numeric names first by itself. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return ['list', ...value.map(sorted)];
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1));
  return ['object', ...entries.map(([name, inner]) => [name, sorted(inner)])];
}
