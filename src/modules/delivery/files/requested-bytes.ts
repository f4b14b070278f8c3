import type { IncomingMessage } from 'node:http';
import { parseRange } from '../../../shared/http/index.js';
import type { DeliverableItem } from '../../media/index.js';
import { isPicture } from './choose-file.js';

type Requested = Pick<IncomingMessage, 'method' | 'headers'>;

/** The bytes that a request asks for: its range, or the whole file. The storage sends them, and the client may stop before the end. */
export function requestedBytes({ fileSize }: Pick<DeliverableItem, 'fileSize'>, { method, headers }: Requested): number {
  if (method === 'HEAD') return 0;
  const range = parseRange(headers.range, fileSize);
  if (range === 'unsatisfiable') return 0;
  return range ? range.end - range.start + 1 : fileSize;
}

/** How a file counts in statistics. Of a file that is requested in ranges, the one with its first byte is the download. */
export function figuresOf(
  item: Pick<DeliverableItem, 'fileSize' | 'fileExtension'>,
  request: Requested,
  { isDownload }: { readonly isDownload: boolean },
): { readonly downloads: number; readonly pictures: number; readonly bytes: number } {
  const range = parseRange(request.headers.range, item.fileSize);
  const isFirst = request.method !== 'HEAD' && (range === null || (range !== 'unsatisfiable' && range.start === 0));
  const isShown = !isDownload && isPicture(item.fileExtension);
  return { downloads: Number(isFirst && isDownload), pictures: Number(isFirst && isShown), bytes: requestedBytes(item, request) };
}
