import { createHash, randomBytes } from 'node:crypto';
import path from 'node:path';

/** Where the storage keeps its things. */
export interface StoragePaths {
  /** What is not finished; emptied at start. */
  readonly temporary: string;
  readonly objects: string;
  /** One folder for each key with the versions that are not the current one. */
  readonly versions: string;
  /** One file for each multipart upload that is neither completed nor aborted. */
  readonly uploads: string;
  /** One folder with the parts of each multipart upload, also when it has become an object. */
  readonly parts: string;
}

export const storagePaths = (dataDir: string): StoragePaths => ({
  temporary: path.join(dataDir, 'temporary'),
  objects: path.join(dataDir, 'objects'),
  versions: path.join(dataDir, 'versions'),
  uploads: path.join(dataDir, 'uploads'),
  parts: path.join(dataDir, 'parts'),
});

/** Any key makes a safe name of fixed length. */
export const hashOfKey = (bucket: string, key: string): string => createHash('sha256').update(`${bucket}/${key}`).digest('hex');

/** The file of an object, in one of 256 folders. */
export const objectFile = ({ objects }: StoragePaths, hash: string): string => path.join(objects, hash.slice(0, 2), hash);

/** The folder of the earlier versions of an object. */
export const versionsFolder = ({ versions }: StoragePaths, hash: string): string => path.join(versions, hash.slice(0, 2), hash);

/** An upload's id names the object that it becomes, so that what a killed process left can be told from what is used. */
export const makeUploadId = (hash: string): string => `${hash}-${randomBytes(16).toString('hex')}`;

/** The hash of the key that an upload is for; null for a text that is no upload id. */
export const hashOfUpload = (uploadId: string): string | null => /^([0-9a-f]{64})-[0-9a-f]{32}$/.exec(uploadId)?.[1] ?? null;

export const uploadFile = ({ uploads }: StoragePaths, uploadId: string): string => path.join(uploads, `${uploadId}.json`);

export const partsFolder = ({ parts }: StoragePaths, uploadId: string): string => path.join(parts, uploadId);

export const partFile = (paths: StoragePaths, uploadId: string, number: number): string =>
  path.join(partsFolder(paths, uploadId), String(number).padStart(5, '0'));
