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

/** Authenticate → find the operation → authorize → check the names → run. */
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

/** Path style: /bucket/key. A key may hold anything, `../` and double slashes too: it is no path. */
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

/** Clients show it and do nothing else with it. */
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

/** Clients that create their bucket before they upload are answered that it exists, as us-east-1 answers its owner. */
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
  run: async () => xmlAnswer(xmlDocument('LocationConstraint', {}, S3_NAMESPACE)), // us-east-1 is the empty name
};

/** An empty document says that versions were never kept. */
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

/** @throws StorageError NotImplemented for any other operation, and for unknown parameters, which could change what is meant */
function findOperation(on: Operation['on'], { method, query }: Pick<Incoming, 'method' | 'query'>): Operation {
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
