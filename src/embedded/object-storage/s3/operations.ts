import type { Incoming } from '../http/incoming.js';
import { StorageError } from '../http/storage-error.js';
import { createBucket, getBucketLocation, getBucketVersioning, headBucket, listBuckets } from './bucket.js';
import type { Operation } from './call.js';
import { completeMultipartUpload } from './complete-multipart.js';
import { deleteObject, deleteObjects, deleteObjectVersion } from './delete-objects.js';
import { getObject, getObjectVersion, headObject, headObjectVersion } from './get-object.js';
import { listObjects, listObjectsV2 } from './list-objects.js';
import { listMultipartUploads, listParts } from './list-uploads.js';
import { listObjectVersions } from './list-versions.js';
import { abortMultipartUpload, createMultipartUpload, uploadPart } from './multipart.js';
import { putObject } from './put-object.js';

/** Those with a marker first, because the others are what remains. */
const OPERATIONS: readonly Operation[] = [
  getBucketLocation,
  getBucketVersioning,
  listObjectVersions,
  listMultipartUploads,
  listObjectsV2,
  deleteObjects,
  createMultipartUpload,
  uploadPart,
  completeMultipartUpload,
  abortMultipartUpload,
  listParts,
  getObjectVersion,
  headObjectVersion,
  deleteObjectVersion,
  listBuckets,
  headBucket,
  createBucket,
  listObjects,
  putObject,
  getObject,
  headObject,
  deleteObject,
];

/** What a client may send with anything: the signature of a presigned address, and the name of the operation. */
const ANYWHERE =
  /^(x-id|x-amz-(algorithm|credential|date|expires|signature|signedheaders|security-token|content-sha256|checksum-mode|sdk-.*))$/i;

/** @throws StorageError NotImplemented for what is none of these, also for parameters that would change what is meant */
export function findOperation(on: Operation['on'], { method, query }: Pick<Incoming, 'method' | 'query'>): Operation {
  const names = query.map(([name]) => name).filter((name) => !ANYWHERE.test(name));
  const fits = (operation: Operation) =>
    operation.method === method && operation.on === on && (operation.marker === undefined || names.includes(operation.marker));
  const operation = OPERATIONS.find(fits);
  const known = operation && [operation.marker, ...(operation.parameters ?? [])];
  if (operation && names.every((name) => known?.includes(name))) return operation;
  // S3's own answer for what a server does not have; README.md says what this one leaves out, and why.
  throw new StorageError(
    'NotImplemented',
    `${method} of the ${on}${names.length > 0 ? ` with ${names.join(', ')}` : ''} is not implemented here.`,
  );
}
