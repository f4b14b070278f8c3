import { checksumElement } from '../body/checksum.js';
import { type BodyPromise, type Checksum, receive, statedLength } from '../body/payload.js';
import { type Answer, type Incoming, parameter, StorageError, type XmlFields } from '../http/messages.js';
import { MAX_DOCUMENT_BYTES } from '../settings.js';
import { encodeRfc3986 } from '../signature/signature.js';
import type { Disk } from '../store/disk.js';
import type { ObjectStore } from '../store/object-store.js';
import type { UploadStore } from '../store/upload-store.js';
import type { Identity } from '../sts/authenticate.js';

/** What operations work on. */
export interface Stores {
  readonly disk: Disk;
  readonly objects: ObjectStore;
  readonly uploads: UploadStore;
  readonly now: () => Date;
}

/** An authenticated request of S3. */
export interface Call {
  readonly incoming: Incoming;
  readonly identity: Identity;
  readonly bucket: string;
  /** Empty for operations on the bucket. */
  readonly key: string;
  readonly body: BodyPromise;
  readonly stores: Stores;
  /** The data of the body; asks for it when the client waits to be asked (Expect: 100-continue). */
  source(): AsyncIterable<Buffer>;
}

/** What a request asks for, and what it takes to be allowed. */
export interface Operation {
  readonly method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE';
  readonly on: 'service' | 'bucket' | 'object';
  /** The query parameter that names the operation, if one does. */
  readonly marker?: string;
  /** The other query parameters that it understands. */
  readonly parameters?: readonly string[];
  /** The action in policies, on the bucket or object; null: the operation checks by itself. */
  readonly action: string | null;
  run(call: Call): Promise<Answer>;
}

export const header = (call: Call, name: string): string | undefined => call.incoming.headers.get(name);

export const query = (call: Call, name: string): string | undefined => parameter(call.incoming, name);

export const arnOf = (bucket: string, key = ''): string => (key === '' ? `arn:aws:s3:::${bucket}` : `arn:aws:s3:::${bucket}/${key}`);

/** @throws StorageError AccessDenied */
export function authorize({ identity }: Pick<Call, 'identity'>, action: string, resource: string): void {
  if (identity.may({ action, resource })) return;
  throw new StorageError('AccessDenied', `User: ${identity.arn} is not authorized to perform: ${action} on resource: "${resource}"`);
}

/** A whole number in the query. @throws StorageError for other text */
export function integerQuery(call: Call, name: string, { fallback, max }: { fallback: number; max: number }): number {
  const text = query(call, name);
  if (text === undefined || text === '') return fallback;
  if (!/^\d{1,9}$/.test(text)) throw new StorageError('InvalidArgument', `Argument ${name} must be an integer between 0 and 2147483647`);
  return Math.min(Number(text), max);
}

/** The document in a request, checked like any other body. */
export async function readDocument(call: Call): Promise<string> {
  if (statedLength(call.body) > MAX_DOCUMENT_BYTES) throw new StorageError('MalformedXML', 'The document is too large.');
  const pieces: Buffer[] = [];
  await receive(call.source(), call.body, { consume: (data) => void pieces.push(data) });
  return Buffer.concat(pieces).toString();
}

/** How keys are written in a listing: as they are, or with encoding-type=url, because XML cannot hold every character. */
export function encoder(call: Call): (text: string) => string {
  const type = query(call, 'encoding-type');
  if (type === undefined) return (text) => text;
  if (type !== 'url') throw new StorageError('InvalidArgument', 'Invalid Encoding Method specified in Request');
  return (text) => encodeRfc3986(text).replaceAll('%2F', '/');
}

/** The element of a checksum in a document; nothing without a checksum. */
export const checksumField = ({ checksum }: { readonly checksum?: Checksum }): XmlFields =>
  checksum ? { [checksumElement(checksum.algorithm)]: checksum.value } : {};

export const S3_NAMESPACE = 'http://s3.amazonaws.com/doc/2006-03-01/';
