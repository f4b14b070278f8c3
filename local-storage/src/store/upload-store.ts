import path from 'node:path';
import { StorageError } from '../http/messages.js';
import {
  type Disk,
  hashOfKey,
  hashOfUpload,
  KeyedLock,
  makeUploadId,
  namesIn,
  type PartFolders,
  partFile,
  partsFolder,
  uploadFile,
} from './disk.js';
import type { Condition, ObjectStore } from './object-store.js';
import type { ObjectDescription, PartDescription, SealedFile, UploadDescription } from './sealed-file.js';

const READ_AT_ONCE = 32;

/** The multipart uploads in progress. */
export class UploadStore {
  private readonly locks = new KeyedLock();

  private readonly disk: Disk;
  private readonly partFolders: PartFolders;
  private readonly objects: ObjectStore;

  constructor(
    parts: { readonly disk: Disk; readonly partFolders: PartFolders; readonly objects: ObjectStore },
    private readonly bucket: string,
  ) {
    ({ disk: this.disk, partFolders: this.partFolders, objects: this.objects } = parts);
  }

  async create(details: Omit<UploadDescription, 'uploadId'>): Promise<UploadDescription> {
    const upload = { ...details, uploadId: makeUploadId(hashOfKey(this.bucket, details.key)) };
    const sealed = await this.disk.describe(upload);
    await this.locks.run(upload.uploadId, async () => {
      await this.disk.makeFolder(partsFolder(this.disk.paths, upload.uploadId));
      await sealed.moveTo(uploadFile(this.disk.paths, upload.uploadId));
    });
    return upload;
  }

  /** Finds an upload. @throws StorageError NoSuchUpload, also if the upload is for another key */
  async get(key: string, uploadId: string): Promise<UploadDescription> {
    const upload = hashOfUpload(uploadId) && (await this.disk.read<UploadDescription>(uploadFile(this.disk.paths, uploadId)));
    if (!upload || upload.key !== key) throw new StorageError('NoSuchUpload');
    return upload;
  }

  /** Adds or replaces a part. @throws StorageError if the upload was completed or aborted meanwhile */
  async putPart({ key, uploadId }: UploadDescription, number: number, sealed: SealedFile): Promise<void> {
    await this.locks.run(uploadId, async () => {
      await this.get(key, uploadId);
      await sealed.moveTo(partFile(this.disk.paths, uploadId, number));
    });
  }

  /** The parts of an upload, by number. */
  async partsOf(uploadId: string): Promise<PartDescription[]> {
    const folder = partsFolder(this.disk.paths, uploadId);
    const names = (await namesIn(folder)).sort();
    return await this.readAll<PartDescription>(names.map((name) => path.join(folder, name)));
  }

  /** All uploads, in no particular order. */
  async list(): Promise<UploadDescription[]> {
    const { uploads } = this.disk.paths;
    return await this.readAll<UploadDescription>((await namesIn(uploads)).map((name) => path.join(uploads, name)));
  }

  async abort(key: string, uploadId: string): Promise<void> {
    await this.locks.run(uploadId, async () => {
      await this.get(key, uploadId);
      await this.disk.remove(uploadFile(this.disk.paths, uploadId));
      await this.partFolders.remove(uploadId);
    });
  }

  /**
   * Completes an upload as the object that `assemble` describes. The data is not copied, so large objects take no longer.
   * A client that repeats the request because the response was lost gets the same object.
   */
  async complete(key: string, uploadId: string, assembly: Assembly): Promise<ObjectDescription> {
    return await this.locks.run(uploadId, async () => {
      const made = (await this.objects.versionsOfKey(key)).find(({ parts }) => parts?.uploadId === uploadId);
      if (made) return made;
      const upload = await this.get(key, uploadId);
      const description = assembly.assemble(upload, await this.partsOf(uploadId));
      await this.objects.put(await this.disk.describe(description), description, assembly.condition);
      await this.disk.remove(uploadFile(this.disk.paths, uploadId)); // the parts are immutable from now on
      return description;
    });
  }

  /** Cleans up after a kill: deletes the records of completed uploads, and parts without an upload or object. */
  async tidy(): Promise<void> {
    for (const uploadId of await namesIn(this.disk.paths.parts)) await this.locks.run(uploadId, () => this.tidyOne(uploadId));
  }

  private async tidyOne(uploadId: string): Promise<void> {
    const hash = hashOfUpload(uploadId);
    if (hash === null) return;
    const upload = await this.disk.read<UploadDescription>(uploadFile(this.disk.paths, uploadId));
    const isObject = (await this.objects.versionsOf(hash)).some(({ parts }) => parts?.uploadId === uploadId);
    if (isObject && upload) await this.disk.remove(uploadFile(this.disk.paths, uploadId));
    if (!isObject && !upload) await this.partFolders.remove(uploadId);
  }

  private async readAll<T>(files: readonly string[]): Promise<T[]> {
    const found: T[] = [];
    for (let at = 0; at < files.length; at += READ_AT_ONCE) {
      const some = await Promise.all(files.slice(at, at + READ_AT_ONCE).map((file) => this.disk.read<T>(file)));
      for (const one of some) if (one !== null) found.push(one);
    }
    return found;
  }
}

/** How an upload becomes an object. */
export interface Assembly {
  assemble(upload: UploadDescription, parts: readonly PartDescription[]): ObjectDescription;
  readonly condition?: Condition;
}
