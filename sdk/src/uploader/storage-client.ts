import { AwsV4Signer } from 'aws4fetch';
import { readRetryAfter } from '../problem-error.js';
import { StorageError } from './errors.js';
import { type BucketLocation, objectUrl } from './object-url.js';
import { type StorageAnswer, type StorageRequest, sendRequest } from './send-request.js';
import type { ServerClock } from './server-clock.js';

/** Temporary credentials of the object storage, as createUpload returns them. */
export interface Credentials {
  readonly AccessKeyId: string;
  readonly SecretAccessKey: string;
  readonly SessionToken: string;
  readonly Expiration: string;
}

/** Where an object is uploaded, and with which credentials. */
export interface Target extends BucketLocation {
  readonly s3Key: string;
  readonly credentials: Credentials;
}

export interface Watch {
  readonly signal?: AbortSignal;
  readonly onProgress?: (sent: number) => void;
}

export interface Part {
  readonly number: number;
  readonly etag: string;
  readonly size: number;
}

interface StorageCall extends Watch {
  readonly method: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: Blob | string;
  readonly contentType?: string;
}

/** The operations of S3 that an upload needs, signed with temporary credentials (SigV4; the body itself is not signed, because TLS protects it). */
export class StorageClient {
  readonly #clock: ServerClock;
  readonly #send: (request: StorageRequest) => Promise<StorageAnswer>;

  constructor(clock: ServerClock, send: (request: StorageRequest) => Promise<StorageAnswer> = sendRequest) {
    this.#clock = clock;
    this.#send = send;
  }

  /** Uploads a whole object; returns its entity tag, empty if the storage does not expose it. */
  async putObject(target: Target, body: Blob, watch: Watch): Promise<string> {
    const answer = await this.#call(target, { method: 'PUT', body, contentType: typeOf(body), ...watch });
    return unquoted(answer.header('etag'));
  }

  /** Starts a multipart upload; returns its id. */
  async createMultipart(target: Target, file: { readonly type: string }): Promise<string> {
    const { text } = await this.#call(target, { method: 'POST', query: { uploads: '' }, contentType: typeOf(file) });
    const id = textOf(text, 'UploadId');
    if (!id) throw new StorageError({ status: 200, code: 'NoUploadId', message: 'The storage did not start an upload.' });
    return id;
  }

  async putPart(
    target: Target,
    { multipartId, number, body }: { readonly multipartId: string; readonly number: number; readonly body: Blob },
    watch: Watch,
  ): Promise<string> {
    const query = { partNumber: String(number), uploadId: multipartId };
    const answer = await this.#call(target, { method: 'PUT', query, body, contentType: 'application/octet-stream', ...watch });
    return unquoted(answer.header('etag'));
  }

  /** The parts that have arrived. */
  async listParts(target: Target, multipartId: string): Promise<Part[]> {
    const parts: Part[] = [];
    for (let marker = '0'; marker !== ''; ) {
      const { text } = await this.#call(target, { method: 'GET', query: { uploadId: multipartId, 'part-number-marker': marker } });
      for (const part of text.split('<Part>').slice(1)) {
        parts.push({
          number: Number(textOf(part, 'PartNumber')),
          etag: unquoted(textOf(part, 'ETag')),
          size: Number(textOf(part, 'Size')),
        });
      }
      marker = textOf(text, 'IsTruncated') === 'true' ? textOf(text, 'NextPartNumberMarker') : '';
    }
    return parts;
  }

  /** Completes a multipart upload of parts in the order of their numbers; returns the entity tag of the object. */
  async completeMultipart(target: Target, multipartId: string, parts: readonly Pick<Part, 'number' | 'etag'>[]): Promise<string> {
    const list = parts.map(({ number, etag }) => `<Part><PartNumber>${number}</PartNumber><ETag>"${etag}"</ETag></Part>`).join('');
    const body = `<CompleteMultipartUpload xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${list}</CompleteMultipartUpload>`;
    const call = { method: 'POST', query: { uploadId: multipartId }, body, contentType: 'application/xml' };
    const answer = await this.#call(target, call);
    // S3 sends status 200 before the operation ends, to keep the connection, and can still fail.
    if (/<Error[\s>]/.test(answer.text)) throw problemOf(answer);
    return unquoted(textOf(answer.text, 'ETag'));
  }

  /** Aborts a multipart upload, which deletes its parts. */
  async abortMultipart(target: Target, multipartId: string): Promise<void> {
    await this.#call(target, { method: 'DELETE', query: { uploadId: multipartId } });
  }

  async #call(target: Target, { method, query = {}, body, contentType, signal, onProgress }: StorageCall): Promise<StorageAnswer> {
    const url = new URL(objectUrl(target, target.s3Key));
    url.search = new URLSearchParams(query).toString();
    const signed = await new AwsV4Signer({
      method,
      url: url.href,
      headers: contentType ? { 'content-type': contentType } : {},
      accessKeyId: target.credentials.AccessKeyId,
      secretAccessKey: target.credentials.SecretAccessKey,
      sessionToken: target.credentials.SessionToken,
      service: 's3',
      region: target.region,
      datetime: new Date(this.#clock.now()).toISOString().replace(/[:-]|\.\d{3}/g, ''),
    }).sign();
    const answer = await this.#send({ method, url: signed.url.href, headers: signed.headers, body: body ?? null, signal, onProgress });
    if (answer.status >= 300) throw problemOf(answer);
    return answer;
  }
}

const problemOf = ({ status, text, header }: StorageAnswer): StorageError =>
  new StorageError({
    ...{ status, code: textOf(text, 'Code'), message: textOf(text, 'Message'), serverTime: textOf(text, 'ServerTime') },
    retryAfter: readRetryAfter(header('retry-after')),
  });

/** The text of the first element of this name. Node.js has no DOMParser, and these responses are flat lists of texts. */
const textOf = (xml: string, name: string): string => unescapeXml(new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml)?.[1] ?? '');

const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };

const unescapeXml = (text: string): string =>
  text.replace(/&(?:#(\d+)|#x([\da-f]+)|(\w+));/gi, (whole, decimal?: string, hex?: string, name?: string) => {
    if (name) return ENTITIES[name] ?? whole;
    return String.fromCodePoint(hex ? Number.parseInt(hex, 16) : Number(decimal));
  });

const unquoted = (etag: string | null): string => (etag ?? '').replaceAll('"', '');

const typeOf = (blob: { readonly type: string }): string => blob.type || 'application/octet-stream';
