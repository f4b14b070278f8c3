import { StorageError } from '../http/storage-error.js';
import type { ByteRange } from '../store/read-data.js';

/**
 * The bytes that a Range header asks for; null: all, also for several ranges and other units, which may be ignored (RFC 9110, section 14.2).
 * @throws StorageError InvalidRange when there is nothing at that place
 */
export function parseRange(range: string | undefined, size: number): ByteRange | null {
  const match = /^bytes=(\d*)-(\d*)$/.exec(range?.trim() ?? '');
  const [, first = '', last = ''] = match ?? [];
  if (first === '' && last === '') return null;
  if (first !== '' && last !== '' && Number(last) < Number(first)) return null;
  const start = first === '' ? Math.max(0, size - Number(last)) : Number(first);
  const end = first === '' || last === '' ? size : Math.min(size, Number(last) + 1);
  if (start < end) return { start, end };
  throw new StorageError('InvalidRange', undefined, { RangeRequested: range ?? '', ActualObjectSize: String(size) });
}
