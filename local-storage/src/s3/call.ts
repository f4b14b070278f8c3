import { checksumElement } from '../body/checksum.js';
import { type BodyPromise, type Checksum, receive, statedLength } from '../body/payload.js';
import { type Answer, type Incoming, parameter, StorageError, type XmlFields } from '../http/messages.js';
import { MAX_DOCUMENT_BYTES } from '../settings.js';
import { encodeRfc3986 } from '../signature/signature.js';
import type { Disk } from '../store/disk.js';
import type { ObjectStore } from '../store/object-store.js';
import type { UploadStore } from '../store/upload-store.js';
import type { Identity } from '../sts/authenticate.js';

/** The stores that operations use. */
export interface Stores {
  readonly disk: Disk;
  readonly objects: ObjectStore;
  readonly uploads: UploadStore;
  readonly now: () => Date;
}

/** An authenticated S3 request. */
export interface Call {
  readonly incoming: Incoming;
  readonly identity: Identity;
  readonly bucket: string;
  /** Empty for operations on the bucket. */
  readonly key: string;
  readonly body: BodyPromise;
  readonly stores: Stores;
  /** The data of the body; sends 100 Continue first if the client waits for it. */
  source(): AsyncIterable<Buffer>;
}

/** One S3 operation: how a request is recognized, and the permission that it needs. */
export interface Operation {
  readonly method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE';
  readonly on: 'service' | 'bucket' | 'object';
  /** The query parameter that selects the operation, if there is one. */
  readonly marker?: string;
  /** The other query parameters that the operation supports. */
  readonly parameters?: readonly string[];
  /** The policy action on the bucket or object; null: the operation checks permissions itself. */
  readonly action: string | null;
  run(call: Call): Promise<Answer>;
}

export const header = (call: Call, name: string): string | undefined => call.incoming.headers.get(name);

export const query = (call: Call, name: string): string | undefined => parameter(call.incoming, name);

export const arnOf = (bucket: string, key = ''): string => (key === '' ? `arn:aws:s3:::${bucket}` : `arn:aws:s3:::${bucket}/${key}`);

/** Checks that a policy allows the action. @throws StorageError AccessDenied */
export function authorize({ identity }: Pick<Call, 'identity'>, action: string, resource: string): void {
  if (identity.may({ action, resource })) return;
  throw new StorageError('AccessDenied', `User: ${identity.arn} is not authorized to perform: ${action} on resource: "${resource}"`);
}

/** A whole number from the query. @throws StorageError if it is not one */
export function integerQuery(call: Call, name: string, { fallback, max }: { fallback: number; max: number }): number {
  const text = query(call, name);
  if (text === undefined || text === '') return fallback;
  if (!/^\d{1,9}$/.test(text)) throw new StorageError('InvalidArgument', `Argument ${name} must be an integer between 0 and 2147483647`);
  return Math.min(Number(text), max);
}

/** Reads the XML document in a request body, which is verified like any other body. */
export async function readDocument(call: Call): Promise<string> {
  if (statedLength(call.body) > MAX_DOCUMENT_BYTES) throw new StorageError('MalformedXML', 'The document is too large.');
  const pieces: Buffer[] = [];
  await receive(call.source(), call.body, { consume: (data) => void pieces.push(data) });
  return Buffer.concat(pieces).toString();
}

/** Encodes keys in a listing: unchanged, or URL-encoded with encoding-type=url, because XML cannot contain every character. */
export function encoder(call: Call): (text: string) => string {
  const type = query(call, 'encoding-type');
  if (type === undefined) return (text) => text;
  if (type !== 'url') throw new StorageError('InvalidArgument', 'Invalid Encoding Method specified in Request');
  return (text) => encodeRfc3986(text).replaceAll('%2F', '/');
}

/** The XML element of a checksum; empty without a checksum. */
export const checksumField = ({ checksum }: { readonly checksum?: Checksum }): XmlFields =>
  checksum ? { [checksumElement(checksum.algorithm)]: checksum.value } : {};

export const S3_NAMESPACE = 'http://s3.amazonaws.com/doc/2006-03-01/';
