import type { Readable } from 'node:stream';
import type { GetObjectCommandOutput } from '@aws-sdk/client-s3';
import type { ReadObject } from './object-storage.js';

/** What GetObject answered, as the port tells it. */
export function openedObject({ Body, ContentLength = 0, ContentRange, ContentType }: GetObjectCommandOutput, etag: string): ReadObject {
  const [, start, end, total] = /^bytes (\d+)-(\d+)\/(\d+)$/.exec(ContentRange ?? '') ?? [];
  return {
    body: Body as Readable, // the SDK answers with a stream of Node's; its type is for browsers, too
    size: ContentLength,
    etag,
    contentType: ContentType ?? null,
    range: start === undefined ? null : { start: Number(start), end: Number(end), total: Number(total) },
  };
}
