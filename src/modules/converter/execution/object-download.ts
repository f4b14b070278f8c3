import { createWriteStream } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Injectable } from '@nestjs/common';
import { type AcceptedObject, AcceptedObjects } from '../../media/index.js';
import { Hindrance } from './hindrance.js';

/** A storage that sends nothing for so long hangs. */
const SILENCE_MS = 30_000;
/** Of the disk, for whatever else writes to it. */
const RESERVE_BYTES = 268_435_456;

export interface Download {
  readonly object: AcceptedObject & { readonly fileSize: number };
  /** Absolute. */
  readonly file: string;
  readonly signal: AbortSignal;
  /** Hears which part of it is there. */
  readonly advance?: (part: number) => void;
}

/** Brings objects of the storage to this machine. */
@Injectable()
export class ObjectDownload {
  constructor(private readonly objects: AcceptedObjects) {}

  /** Throws a Hindrance when the disk has no room for so many bytes. */
  async requireRoom(folder: string, bytes: number): Promise<void> {
    const { bavail, bsize } = await statfs(folder);
    if (bavail * bsize < bytes + RESERVE_BYTES) throw new Hindrance('The disk of the worker is full.');
  }

  /** False: there is no such object. Throws `object_changed` for another one than was accepted, a Hindrance when it does not arrive as a whole. */
  async fetch({ object: source, file, signal, advance }: Download): Promise<boolean> {
    const object = await this.objects.read(source);
    if (!object) return false;
    const size = source.fileSize;
    const silence = new AbortController();
    const timer = setTimeout(() => silence.abort(new Hindrance('The object storage stopped in the middle of a file.')), SILENCE_MS);
    let received = 0;
    const count = new Transform({
      transform: (chunk: Buffer, _, done) => {
        timer.refresh();
        received += chunk.length;
        advance?.(received / Math.max(size, 1));
        if (received <= size) done(null, chunk);
        else done(new Hindrance(`The object storage sends more than the ${size} bytes of a file.`)); // written anew since: it may fill the disk
      },
    });
    try {
      await pipeline(object.body, count, createWriteStream(file, { flags: 'wx', mode: 0o600 }), {
        signal: AbortSignal.any([signal, silence.signal]),
      });
    } catch (error) {
      signal.throwIfAborted();
      silence.signal.throwIfAborted();
      if (error instanceof Hindrance) throw error;
      throw new Hindrance('A file could not be fetched from the object storage.', { cause: error });
    } finally {
      clearTimeout(timer);
    }
    if (received !== size) throw new Hindrance(`The object storage sent ${received} bytes of a file of ${size}.`);
    return true;
  }
}
