import { type Answer, emptyAnswer, type Incoming, StorageError, xmlAnswer, xmlDocument } from '../http/messages.js';
import { BUCKET, MAX_KEY_BYTES, OWNER, REGION } from '../settings.js';
import { type Authority, authenticate } from '../sts/authenticate.js';
import { arnOf, authorize, type Call, type Operation, S3_NAMESPACE, type Stores } from './call.js';
import { completeMultipartUpload } from './complete-multipart.js';
import { deleteObject, deleteObjects, deleteObjectVersion } from './delete-objects.js';
import { getObject, getObjectVersion, headObject, headObjectVersion } from './get-object.js';
import { listObjects, listObjectsV2, listObjectVersions } from './list-objects.js';
import { abortMultipartUpload, createMultipartUpload, listMultipartUploads, listParts, uploadPart } from './multipart.js';
import { putObject } from './put-object.js';

/** Authenticates, finds the operation, authorizes, checks the names and runs the operation. */
export async function handleS3(incoming: Incoming, { authority, stores, source }: S3Context): Promise<Answer> {
  const { identity, signer, payload } = authenticate(incoming, authority, { service: 's3' });
  const { bucket, key } = splitPath(incoming.path);
  const on = key !== '' ? 'object' : bucket !== '' ? 'bucket' : 'service';
  const operation = findOperation(on, incoming);
  const call: Call = { incoming, identity, bucket, key, body: { headers: incoming.headers, payload, signer }, stores, source };
  if (operation.action !== null) authorize(call, operation.action, resourceOf(operation, call));
  if (on !== 'service') checkNames(call);
  return await operation.run(call);
}

export interface S3Context {
  readonly authority: Authority;
  readonly stores: Stores;
  readonly source: Call['source'];
}

/** Path style: /bucket/key. A key may contain anything, including `../` and double slashes, because it is not a path. */
function splitPath(path: string): { bucket: string; key: string } {
  const end = path.indexOf('/', 1);
  return end === -1 ? { bucket: path.slice(1), key: '' } : { bucket: path.slice(1, end), key: path.slice(end + 1) };
}

const resourceOf = ({ on }: Operation, { bucket, key }: Call): string => (on === 'service' ? '*' : arnOf(bucket, key));

function checkNames({ bucket, key }: Call): void {
  if (bucket !== BUCKET) throw new StorageError('NoSuchBucket', undefined, { BucketName: bucket });
  const size = Buffer.byteLength(key);
  if (size > MAX_KEY_BYTES)
    throw new StorageError('KeyTooLongError', undefined, { Size: String(size), MaxSizeAllowed: String(MAX_KEY_BYTES) });
}

/** The bucket's creation date; clients only display it. */
const CREATED = '2020-01-01T00:00:00.000Z';

const listBuckets: Operation = {
  method: 'GET',
  on: 'service',
  parameters: ['max-buckets', 'prefix', 'continuation-token', 'bucket-region'],
  action: 's3:ListAllMyBuckets',
  run: async () => {
    const content = { Owner: OWNER, Buckets: { Bucket: [{ Name: BUCKET, CreationDate: CREATED }] } };
    return xmlAnswer(xmlDocument('ListAllMyBucketsResult', content, S3_NAMESPACE));
  },
};

const headBucket: Operation = {
  method: 'HEAD',
  on: 'bucket',
  action: 's3:ListBucket',
  run: async () => emptyAnswer(200, { 'x-amz-bucket-region': REGION }),
};

/** Clients that create their bucket before they upload get the response that us-east-1 sends to the bucket's owner. */
const createBucket: Operation = {
  method: 'PUT',
  on: 'bucket',
  action: 's3:CreateBucket',
  run: async ({ bucket }) => emptyAnswer(200, { location: `/${bucket}` }),
};

const getBucketLocation: Operation = {
  method: 'GET',
  on: 'bucket',
  marker: 'location',
  action: 's3:GetBucketLocation',
  run: async () => xmlAnswer(xmlDocument('LocationConstraint', {}, S3_NAMESPACE)), // us-east-1 is represented by an empty name
};

/** An empty document means that versioning was never enabled. */
const getBucketVersioning: Operation = {
  method: 'GET',
  on: 'bucket',
  marker: 'versioning',
  action: 's3:GetBucketVersioning',
  run: async ({ stores }) => {
    const Status = stores.objects.keepsVersions ? 'Enabled' : undefined;
    return xmlAnswer(xmlDocument('VersioningConfiguration', { Status }, S3_NAMESPACE));
  },
};

/** Operations with a marker come first, because the others match any remaining request. */
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

/** Query parameters that any request may have: those of a presigned URL, and the name of the operation. */
const ANYWHERE =
  /^(x-id|x-amz-(algorithm|credential|date|expires|signature|signedheaders|security-token|content-sha256|checksum-mode|sdk-.*))$/i;

/** Finds the operation. @throws StorageError NotImplemented for an unknown operation or unknown parameters, which could change the meaning */
function findOperation(on: Operation['on'], { method, query }: Pick<Incoming, 'method' | 'query'>): Operation {
  const names = query.map(([name]) => name).filter((name) => !ANYWHERE.test(name));
  const fits = (operation: Operation) =>
    operation.method === method && operation.on === on && (operation.marker === undefined || names.includes(operation.marker));
  const operation = OPERATIONS.find(fits);
  const known = operation && [operation.marker, ...(operation.parameters ?? [])];
  if (operation && names.every((name) => known?.includes(name))) return operation;
  // The error that S3 uses for unsupported features; README.md lists what is left out here, and why.
  throw new StorageError(
    'NotImplemented',
    `${method} of the ${on}${names.length > 0 ? ` with ${names.join(', ')}` : ''} is not implemented here.`,
  );
}
