import { crc32 } from 'node:zlib';
import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { Gauge } from 'prom-client';
import { Clock } from '../../../../shared/clock.js';
import { DomainError } from '../../../../shared/errors.js';
import { FairLimit } from '../../../../shared/fairness/index.js';
import type { Range } from '../../../../shared/http/index.js';
import { Log } from '../../../../shared/logging/index.js';
import { SeriesCounter } from '../../../../shared/series-counter.js';
import { ObjectStorage } from '../../../../shared/storage/index.js';
import { readPiece } from '../../files/file-stream.service.js';
import { mediaNotAvailable } from '../../files/files.service.js';
import { ViewersService } from '../../gate/viewers.service.js';
import { DownloadOffersService } from '../download-offers.service.js';
import type { ArchivedObject } from './archive-layout.entity.js';
import type { ArchivePlace } from './archive-places.service.js';
import { type Archive, GONE } from './archives.service.js';
import { readAhead } from './read-ahead.js';
import { type ArchivedFile, type ArchivePart, archiveParts } from './zip-layout.js';

/** Files are fetched in pieces, each at full speed, so that a slow client does not occupy one of the few connections to the storage. */
const PIECE_BYTES = 1_048_576;
/** What is fetched before it is sent. With what is being sent, a download takes some 6 MiB of memory. */
const AHEAD = { bytes: 4 * PIECE_BYTES, entries: 24 };
/** Pieces that a process fetches concurrently for all downloads: each small file takes some milliseconds of processor time. */
const CONCURRENT_READS = 8;
/** All that the downloads of a process can have ahead. */
const MAX_WAITING_READS = 2_000;
/** Bytes that are written at once: small files and records together, and as much as a slow client has to take in time. */
const WRITE_BYTES = 262_144;
/** A client that takes less than WRITE_BYTES in this time (2 KiB/s) is disconnected, because it occupies a place and memory; it can continue. */
const MAX_WRITE_MS = 120_000;
/** The longest download; clients continue it with a range. */
const MAX_DOWNLOAD_MS = 24 * 3_600_000;
/** How often it is checked that the link is still good. */
const CHECK_LINK_MS = 1_000;

const sentBytes = new SeriesCounter({
  name: 'archive_bytes_total',
  help: 'Bytes of archives of download links that were sent through the service.',
  labels: [],
}).series({});
const active = new Gauge({ name: 'archives_active', help: 'Archives of download links that are being sent.' });

/** A piece of a file, or records that are encoded when they are sent. */
type Chunk =
  | { readonly file: ArchivedFile<ArchivedObject>; readonly start: number; readonly bytes: Buffer }
  | Exclude<ArchivePart<ArchivedObject>, { readonly file: unknown }>;

interface Sending {
  readonly range: Range;
  readonly place: ArchivePlace;
  readonly request: Request;
  /** Sets the headers. */
  begin(): void;
}

/** Sends archives through the service. */
@Injectable()
export class ArchiveStreamService {
  /** Tests make it shorter. */
  maxWriteMs = MAX_WRITE_MS;
  private readonly reads = new FairLimit({ slots: CONCURRENT_READS, maxWaiting: MAX_WAITING_READS });

  constructor(
    private readonly storage: ObjectStorage,
    private readonly offers: DownloadOffersService,
    private readonly viewers: ViewersService,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {}

  /**
   * Sends a range of an archive, in a place. A failure after `begin` ends the connection: a file that is gone or was replaced, a link that has ended, before
   * its next file, a client that is too slow. Throws `media_not_available`, `storage_unavailable`.
   */
  async send(archive: Archive, sending: Sending, response: Response): Promise<void> {
    active.inc();
    try {
      const isOwners = await this.viewers.isOwner(sending.request, archive.link);
      const bytes = await this.open(archive, { ...sending, isOwners });
      sending.begin();
      if (sending.range.start === 0) this.offers.countUse(archive.link, isOwners);
      await this.transmit(bytes, response);
    } finally {
      active.dec();
    }
  }

  /** Opens a range; its first file has been found then. */
  private async open(
    archive: Archive,
    { range, place, request, isOwners }: Sending & { readonly isOwners: boolean },
  ): Promise<AsyncIterable<Buffer>> {
    const { layout, sections, link } = archive;
    const computed = new Map<number, number>();
    const parts = archiveParts({ totals: layout, sections, computed }, range);
    const chunks = readAhead(this.pieces(parts, String(link.customerId)), AHEAD);
    const first = [await chunks.next(), await chunks.next()]; // a header, and the first bytes of its file
    const downloads = range.start === 0 ? 1 : 0;
    const count = (file: ArchivedFile<ArchivedObject>, figures: { readonly downloads: number; readonly bytes: number }) =>
      this.offers.countInArchive(link, file.content.mediaContainerId, { request, isOwners, ...figures });
    const check = this.linkCheck(link.link);
    return together(emit());

    async function* emit(): AsyncGenerator<Buffer> {
      let checksum: number | null = null; // of the current file, if it is sent from its beginning
      for await (const chunk of continued(first, chunks)) {
        if (!('file' in chunk)) {
          if (chunk.beginOf) await check();
          if (chunk.beginOf) count(chunk.beginOf, { downloads, bytes: 0 });
          yield chunk.encode();
          continue;
        }
        const { file, start, bytes } = chunk;
        place.charge({ files: start === 0 ? 1 : 0, bytes: bytes.length });
        if (start === 0) checksum = 0;
        if (checksum !== null) checksum = crc32(bytes, checksum);
        if (checksum !== null && start + bytes.length === file.size) computed.set(file.offset, requireChecksum(file, checksum));
        count(file, { downloads: 0, bytes: bytes.length });
        yield bytes;
      }
    }
  }

  private async *pieces(parts: AsyncIterable<ArchivePart<ArchivedObject>>, customer: string) {
    for await (const part of parts) {
      if (!('file' in part)) {
        yield { bytes: 0, read: async (): Promise<Chunk> => part };
        continue;
      }
      const { file, start: first, end: last } = part;
      for (let start = first; start <= last; start += PIECE_BYTES) {
        const range = { start, end: Math.min(last, start + PIECE_BYTES - 1) };
        const fetch = async () => (await readPiece(this.storage, file.content, range)) ?? gone();
        yield {
          bytes: range.end - start + 1,
          read: async (): Promise<Chunk> => ({ file, start, bytes: await this.reads.run(customer, fetch) }),
        };
      }
    }
  }

  /** A function that throws if the link has ended; it looks at most once a second. */
  private linkCheck(link: string): () => Promise<void> {
    let checkedAt = this.clock.now().getTime();
    return async () => {
      const now = this.clock.now().getTime();
      if (now - checkedAt < CHECK_LINK_MS) return;
      checkedAt = now;
      await this.offers.findOpen(link);
    };
  }

  private async transmit(bytes: AsyncIterable<Buffer>, response: Response): Promise<void> {
    const ends = performance.now() + MAX_DOWNLOAD_MS;
    try {
      for await (const chunk of bytes) {
        if (performance.now() > ends) throw new Error('The download takes too long.');
        await write(response, chunk, this.maxWriteMs);
        sentBytes.count += chunk.length;
      }
      response.end();
    } catch (err) {
      const level = err instanceof DomainError ? 'info' : 'warn';
      if (!response.closed) this.log[level]({ err }, 'an archive was not sent completely');
      response.destroy(); // ends the response early, so that the client notices the error
    }
  }
}

/** Resolves when the network has taken the bytes, so that nothing of a file is lost if the next one fails. Throws if the client has disconnected. */
async function write(response: Response, bytes: Buffer, maxMs: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  let disconnect: (() => void) | undefined;
  try {
    await new Promise<void>((resolve, reject) => {
      disconnect = () => reject(new Error('The client has disconnected.'));
      if (response.closed) return disconnect();
      response.once('close', disconnect);
      timer = setTimeout(() => reject(new Error('The client is too slow.')), maxMs);
      response.write(bytes, (error) => (error ? reject(error) : resolve()));
    });
  } finally {
    clearTimeout(timer);
    if (disconnect) response.off('close', disconnect);
  }
}

/** Joins small pieces and splits large ones, so that each has about WRITE_BYTES. */
async function* together(pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let small: Buffer[] = [];
  let length = 0;
  for await (const piece of pieces) {
    small.push(piece);
    length += piece.length;
    if (length < WRITE_BYTES) continue;
    const joined = small.length === 1 ? piece : Buffer.concat(small);
    for (let at = 0; at < joined.length; at += WRITE_BYTES) yield joined.subarray(at, at + WRITE_BYTES);
    [small, length] = [[], 0];
  }
  if (length > 0) yield Buffer.concat(small);
}

function gone(): never {
  throw mediaNotAvailable(GONE);
}

/** The checksum of a file that was sent, unless it has another one: the archive would be wrong. */
function requireChecksum({ crc32: recorded, content }: ArchivedFile<ArchivedObject>, checksum: number): number {
  if (recorded === null || recorded === checksum) return checksum;
  throw new Error(`The content of ${content.key} does not have its recorded CRC-32.`);
}

async function* continued<T>(first: readonly IteratorResult<T, void>[], rest: AsyncGenerator<T, void>): AsyncGenerator<T> {
  for (const { done, value } of first) if (!done) yield value as T;
  yield* rest;
}
