import { crc32 } from 'node:zlib';
import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { Gauge } from 'prom-client';
import { SeriesCounter } from '../../../../shared/counters.js';
import { DomainError } from '../../../../shared/errors.js';
import type { Range } from '../../../../shared/http/index.js';
import { Log } from '../../../../shared/logging/index.js';
import { ObjectStorage } from '../../../../shared/storage/index.js';
import { deliveryErrors } from '../../delivery.errors.js';
import { type PinnedObject, readPiece } from '../../files/file-stream.service.js';
import { mediaNotAvailable } from '../../files/files.service.js';
import { DownloadOffersService } from '../download-offers.service.js';
import { ArchiveDownloadsRepository, RENEW_MS } from './archive-downloads.repository.js';
import { type Archive, GONE } from './archives.service.js';
import type { ArchivedFile, ArchivePart } from './zip-layout.js';

/** Files are fetched in pieces, each at full speed, so that a slow client does not occupy one of the few connections to the storage. */
const PIECE_BYTES = 2 * 1_048_576;
/** The pieces that are fetched before they are sent. With the one that is being sent, a download takes some 12 MiB of memory. */
const PIECES_AHEAD = 4;
/** A client that takes nothing for this time is disconnected, because it occupies one of the places of its address. */
const STALLED_MS = 300_000;
const RETRY_AFTER_SECONDS = 30;

const sentBytes = new SeriesCounter({
  name: 'archive_bytes_total',
  help: 'Bytes of archives of download links that were sent through the service.',
  labels: [],
}).series({});

const active = new Gauge({ name: 'archives_active', help: 'Archives of download links that are being sent.' });

/** A piece of a file, or records that are encoded when they are sent. */
type Chunk = { readonly file: ArchivedFile<PinnedObject>; readonly start: number; readonly bytes: Buffer } | { encode(): Buffer };

/** Sends archives through the service. */
@Injectable()
export class ArchiveStreamService {
  constructor(
    private readonly storage: ObjectStorage,
    private readonly offers: DownloadOffersService,
    private readonly downloads: ArchiveDownloadsRepository,
    private readonly log: Log,
  ) {}

  /**
   * Sends a range of an archive to an address; `begin` sets the headers. A failure after that ends the connection: a file that is gone or was replaced,
   * a link that has ended, before its next file. Throws 429 `too_many_archives`, `media_not_available`, `storage_unavailable`.
   */
  async send(archive: Archive, { range, address, begin }: Sending, response: Response): Promise<void> {
    const id = await this.downloads.start(address);
    if (id === null) {
      const detail = 'Your network is downloading several archives already. Continue when one of them has ended.';
      throw deliveryErrors.too_many_archives(detail, { retryAfter: RETRY_AFTER_SECONDS });
    }
    const renew = async () => await this.downloads.renew(id).catch((err: unknown) => this.log.warn({ err }, 'cannot renew a download'));
    const renewing = setInterval(() => void renew(), RENEW_MS).unref();
    active.inc();
    try {
      const bytes = await this.open(archive, range);
      begin();
      await this.transmit(bytes, response);
    } finally {
      active.dec();
      clearInterval(renewing);
      await this.downloads.end(id);
    }
  }

  /** Opens a range; its first file has been found then. */
  private async open({ link, layout }: Archive, range: Range): Promise<AsyncIterable<Buffer>> {
    const chunks = readAhead(this.pieces(layout.parts(range)), PIECES_AHEAD);
    const first = [await chunks.next(), await chunks.next()]; // a header, and the first bytes of its file
    const { offers } = this;
    return emit();

    async function* emit(): AsyncGenerator<Buffer> {
      let isFirst = true; // the link of the first file has just been read
      let checksum: number | null = null; // of the current file, if it is sent from its beginning
      for await (const chunk of continued(first, chunks)) {
        const bytes = 'file' in chunk ? chunk.bytes : chunk.encode();
        if ('file' in chunk) {
          if (chunk.start === 0) {
            if (!isFirst) await offers.findOpen(link.link);
            checksum = 0;
          }
          isFirst = false;
          if (checksum !== null) checksum = crc32(bytes, checksum);
          if (checksum !== null && chunk.start + bytes.length === chunk.file.size) recordChecksum(chunk.file, checksum);
        }
        sentBytes.count += bytes.length;
        yield bytes;
      }
    }
  }

  private *pieces(parts: Iterable<ArchivePart<PinnedObject>>): Generator<() => Promise<Chunk>> {
    for (const part of parts) {
      if ('encode' in part) yield async () => part;
      else {
        const { file, start: first, end: last } = part;
        for (let start = first; start <= last; start += PIECE_BYTES) {
          const range = { start, end: Math.min(last, start + PIECE_BYTES - 1) };
          yield async () => ({ file, start, bytes: (await readPiece(this.storage, file.content, range)) ?? gone() });
        }
      }
    }
  }

  private async transmit(bytes: AsyncIterable<Buffer>, response: Response): Promise<void> {
    response.setTimeout(STALLED_MS, () => response.destroy());
    try {
      for await (const chunk of bytes) await write(response, chunk);
      response.end();
    } catch (err) {
      const level = err instanceof DomainError ? 'info' : 'warn';
      if (!response.closed) this.log[level]({ err }, 'an archive was not sent completely');
      response.destroy(); // ends the response early, so that the client notices the error
    }
  }
}

interface Sending {
  readonly range: Range;
  readonly address: string;
  begin(): void;
}

/** Resolves when the network has taken the bytes, so that nothing of a file is lost if the next one fails. Throws if the client has disconnected. */
async function write(response: Response, bytes: Buffer): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const disconnect = () => reject(new Error('The client has disconnected.'));
    if (response.closed) return disconnect();
    response.once('close', disconnect);
    response.write(bytes, (error) => {
      response.off('close', disconnect);
      if (error) reject(error);
      else resolve();
    });
  });
}

function gone(): never {
  throw mediaNotAvailable(GONE);
}

/** Fills in the checksum of a file that was sent; a wrong one would make a wrong archive. */
function recordChecksum(file: ArchivedFile<PinnedObject>, checksum: number): void {
  file.crc32 ??= checksum;
  if (file.crc32 !== checksum) throw new Error(`The content of ${file.content.key} does not have its recorded CRC-32.`);
}

/** Runs up to `depth` reads at a time and yields their results in order. */
async function* readAhead<T>(reads: Iterable<() => Promise<T>>, depth: number): AsyncGenerator<T, void> {
  const pending: Promise<T>[] = [];
  for (const read of reads) {
    const result = read();
    result.catch(() => {}); // thrown when its turn comes
    pending.push(result);
    const next = pending.length < depth ? undefined : pending.shift();
    if (next) yield await next;
  }
  for (const result of pending) yield await result;
}

async function* continued<T>(first: readonly IteratorResult<T, void>[], rest: AsyncGenerator<T, void>): AsyncGenerator<T> {
  for (const { done, value } of first) if (!done) yield value as T;
  yield* rest;
}
