import { Injectable } from '@nestjs/common';
import { generalErrors } from '../../../../shared/errors.js';
import { Log } from '../../../../shared/logging/index.js';
import { deliveryErrors } from '../../delivery.errors.js';
import type { DownloadLink } from '../download-link.entity.js';
import { ArchiveDownloadsRepository, MAX_OF_ADDRESS, RENEW_MS } from './archive-downloads.repository.js';

/** Downloads of a process: each takes some 6 MiB of memory. Half of them may be of one customer, and a quarter of one link. */
const MAX_OF_PROCESS = 64;
const MAX_OF_CUSTOMER = MAX_OF_PROCESS / 2;
const MAX_OF_LINK = MAX_OF_PROCESS / 4;
/** Requests of an address that are being read or refused for another reason: they take milliseconds, and a download manager sends some at once. */
const MAX_PREPARING = 32;
const RETRY_AFTER_SECONDS = 30;
/**
 * How long a download counts at least. Reading an object takes some 3 ms of processor time, so an address with four downloads of many small files takes a
 * third of a core; one of a few files costs no more than other requests, which the rate limits count.
 */
const FREE_FILES = 20;
const FILE_MS = 40;
const BYTES_PER_MS = 100_000;

/** The place of a download that has been admitted. */
export interface ArchivePlace {
  /** Counts what is sent. */
  charge(sent: { readonly files: number; readonly bytes: number }): void;
}

/** Limits the downloads of archives, before any work for them. */
@Injectable()
export class ArchivePlacesService {
  private running = 0;
  /** The downloads that this process sends or is about to admit, by address, link and customer. */
  private readonly runningOf = new Map<string, number>();

  constructor(
    private readonly downloads: ArchiveDownloadsRepository,
    private readonly log: Log,
  ) {}

  /**
   * Runs a download of an address in a place. It counts against the limit of the address for at least as long as what it sent costs the service. Throws 429
   * `too_many_archives` at once if the address has as many as it may have, and 503 `service_unavailable` if the link, the customer or the process has.
   */
  async use<Result>(link: DownloadLink, address: string, download: (place: ArchivePlace) => Promise<Result>): Promise<Result> {
    const names = [`address ${address}`, `link ${link.id}`, `customer ${link.customerId}`];
    this.requireRoom(address);
    const isFull =
      this.running >= MAX_OF_PROCESS ||
      this.countOf(`link ${link.id}`) >= MAX_OF_LINK ||
      this.countOf(`customer ${link.customerId}`) >= MAX_OF_CUSTOMER;
    if (isFull) throw busy();
    this.running += 1;
    for (const name of names) this.take(name);
    try {
      return await this.counted(address, download);
    } finally {
      this.running -= 1;
      for (const name of names) this.release(name);
    }
  }

  /**
   * Runs the steps before a download, such as finding the link. Throws `too_many_archives` at once, without asking the database, if the address has as many
   * downloads in this process as it may have, or too many requests in these steps.
   */
  async prepare<Result>(address: string, steps: () => Promise<Result>): Promise<Result> {
    this.requireRoom(address);
    const name = `preparing ${address}`;
    if (this.countOf(name) >= MAX_PREPARING) throw tooMany();
    this.take(name);
    try {
      return await steps();
    } finally {
      this.release(name);
    }
  }

  private requireRoom(address: string): void {
    if (this.countOf(`address ${address}`) >= MAX_OF_ADDRESS) throw tooMany();
  }

  private async counted<Result>(address: string, download: (place: ArchivePlace) => Promise<Result>): Promise<Result> {
    const id = await this.downloads.start(address);
    if (id === null) throw tooMany();
    const beganAt = performance.now();
    let files = -FREE_FILES;
    let bytes = 0;
    const charge: ArchivePlace['charge'] = (sent) => {
      files += sent.files;
      bytes += sent.bytes;
    };
    const renew = async () => await this.downloads.renew(id).catch((err: unknown) => this.log.warn({ err }, 'cannot renew a download'));
    const renewing = setInterval(() => void renew(), RENEW_MS).unref();
    try {
      return await download({ charge });
    } finally {
      clearInterval(renewing);
      const costMs = Math.max(0, files) * FILE_MS + bytes / BYTES_PER_MS;
      await this.downloads.end(id, costMs - (performance.now() - beganAt));
    }
  }

  private countOf(name: string): number {
    return this.runningOf.get(name) ?? 0;
  }

  private take(name: string): void {
    this.runningOf.set(name, this.countOf(name) + 1);
  }

  private release(name: string): void {
    const count = this.countOf(name) - 1;
    if (count > 0) this.runningOf.set(name, count);
    else this.runningOf.delete(name);
  }
}

function tooMany() {
  const detail = 'Your network is downloading several archives already. Continue when one of them has ended.';
  return deliveryErrors.too_many_archives(detail, { retryAfter: RETRY_AFTER_SECONDS });
}

function busy() {
  const detail = 'Too many archives are being sent at the moment. Try again in half a minute.';
  return generalErrors.service_unavailable(detail, { retryAfter: RETRY_AFTER_SECONDS });
}
