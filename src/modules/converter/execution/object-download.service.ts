import { createWriteStream } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Injectable } from '@nestjs/common';
import { MIN_FREE_BYTES } from '../../../shared/health/machine-checks.service.js';
import { type AcceptedObject, AcceptedObjectsService } from '../../media/index.js';
import { Outage, TemporaryFailure } from './transcoding-outcome.js';

/** A download that receives no data for this long is aborted. */
const MAX_SILENCE_MS = 30_000;

export interface Download {
  readonly object: AcceptedObject & { readonly fileSize: number };
  /** The absolute path of the file to write. */
  readonly file: string;
  readonly signal: AbortSignal;
  /** Receives the fraction that has arrived, from 0 to 1. */
  readonly advance?: (part: number) => void;
}

/** Downloads objects from the storage to this machine. */
@Injectable()
export class ObjectDownloadService {
  constructor(private readonly objects: AcceptedObjectsService) {}

  /**
   * Throws an Outage if the disk has too little free space for this many bytes, and a TemporaryFailure if the whole disk is too small, because
   * another worker may have a larger one.
   */
  async requireRoom(folder: string, bytes: number): Promise<void> {
    const { bavail, blocks, bsize } = await statfs(folder);
    const needed = bytes + MIN_FREE_BYTES;
    if (bavail * bsize >= needed) return;
    throw new (blocks * bsize < needed ? TemporaryFailure : Outage)('The disk of the worker is full.');
  }

  /**
   * Downloads an object into a file; false if it does not exist. Throws `object_changed` if it is not the object that was accepted, and a
   * TemporaryFailure if it arrives incomplete.
   */
  async fetch({ object: source, file, signal, advance }: Download): Promise<boolean> {
    const object = await this.objects.read(source);
    if (!object) return false;
    const size = source.fileSize;
    const silence = new AbortController();
    const timer = setTimeout(() => silence.abort(new Outage('The object storage stopped in the middle of a file.')), MAX_SILENCE_MS);
    let received = 0;
    const count = new Transform({
      transform: (chunk: Buffer, _, done) => {
        timer.refresh();
        received += chunk.length;
        advance?.(received / Math.max(size, 1));
        if (received <= size) done(null, chunk);
        else done(new TemporaryFailure(`The object storage sent more than the ${size} bytes of a file.`)); // a replaced object could fill the disk
      },
    });
    try {
      await pipeline(object.body, count, createWriteStream(file, { flags: 'wx', mode: 0o600 }), {
        signal: AbortSignal.any([signal, silence.signal]),
      });
    } catch (error) {
      signal.throwIfAborted();
      silence.signal.throwIfAborted();
      if (error instanceof TemporaryFailure) throw error;
      throw new Outage('A file could not be fetched from the object storage.', { cause: error });
    } finally {
      clearTimeout(timer);
    }
    if (received !== size) throw new TemporaryFailure(`The object storage sent ${received} bytes of a file of ${size}.`);
    return true;
  }
}
