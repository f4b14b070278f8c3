import { AwsV4Signer } from 'aws4fetch';
import { StorageProblem } from './errors.js';
import { objectUrl } from './object-url.js';
import { sendRequest } from './send-request.js';

/**
 * @typedef {{ AccessKeyId: string, SecretAccessKey: string, SessionToken: string, Expiration: string }} Credentials
 * @typedef {{ bucket: string, region: string, s3Key: string, endpoint?: string, accelerated: boolean, credentials: Credentials }} Target
 * @typedef {{ signal?: AbortSignal, onProgress?: (sent: number) => void }} Watch
 * @typedef {{ number: number, etag: string, size: number }} Part
 */

/** The operations of S3 that an upload needs, signed with temporary credentials (SigV4; the body itself is not signed, TLS protects it). */
export class StorageClient {
  #clock;
  #send;

  /**
   * @param {import('./server-clock.js').ServerClock} clock
   * @param {typeof sendRequest} [send]
   */
  constructor(clock, send = sendRequest) {
    this.#clock = clock;
    this.#send = send;
  }

  /**
   * Uploads a whole object; returns its entity tag, if the storage exposes it.
   * @param {Target} target
   * @param {Blob} body
   * @param {Watch} watch
   */
  async putObject(target, body, watch) {
    const answer = await this.#call(target, { method: 'PUT', query: {}, body, contentType: typeOf(body), ...watch });
    return unquoted(answer.header('etag'));
  }

  /**
   * Starts a multipart upload; returns its id.
   * @param {Target} target
   * @param {Blob} file
   */
  async createMultipart(target, file) {
    const { text } = await this.#call(target, { method: 'POST', query: { uploads: '' }, contentType: typeOf(file) });
    const id = textOf(parse(text), 'UploadId');
    if (!id) throw new StorageProblem({ status: 200, code: 'NoUploadId', message: 'The storage did not start an upload.' });
    return id;
  }

  /**
   * @param {Target} target
   * @param {{ multipartId: string, number: number, body: Blob }} part
   * @param {Watch} watch
   */
  async putPart(target, { multipartId, number, body }, watch) {
    const query = { partNumber: String(number), uploadId: multipartId };
    const answer = await this.#call(target, { method: 'PUT', query, body, contentType: 'application/octet-stream', ...watch });
    return unquoted(answer.header('etag'));
  }

  /**
   * The parts that have arrived.
   * @param {Target} target
   * @param {string} multipartId
   * @returns {Promise<Part[]>}
   */
  async listParts(target, multipartId) {
    /** @type {Part[]} */
    const parts = [];
    for (let marker = '0'; marker !== ''; ) {
      const { text } = await this.#call(target, { method: 'GET', query: { uploadId: multipartId, 'part-number-marker': marker } });
      const page = parse(text);
      for (const part of page.getElementsByTagName('Part')) {
        parts.push({
          number: Number(textOf(part, 'PartNumber')),
          etag: unquoted(textOf(part, 'ETag')),
          size: Number(textOf(part, 'Size')),
        });
      }
      marker = textOf(page, 'IsTruncated') === 'true' ? textOf(page, 'NextPartNumberMarker') : '';
    }
    return parts;
  }

  /**
   * Completes a multipart upload; returns the entity tag of the object.
   * @param {Target} target
   * @param {string} multipartId
   * @param {readonly Pick<Part, 'number' | 'etag'>[]} parts in the order of their numbers
   */
  async completeMultipart(target, multipartId, parts) {
    const list = parts.map(({ number, etag }) => `<Part><PartNumber>${number}</PartNumber><ETag>"${etag}"</ETag></Part>`).join('');
    const body = `<CompleteMultipartUpload xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${list}</CompleteMultipartUpload>`;
    const { status, text } = await this.#call(target, {
      method: 'POST',
      query: { uploadId: multipartId },
      body,
      contentType: 'application/xml',
    });
    const answer = parse(text);
    // S3 sends status 200 before the operation ends, to keep the connection, and can still fail.
    if (answer.documentElement.localName === 'Error') throw problemOf(status, answer);
    return unquoted(textOf(answer, 'ETag'));
  }

  /**
   * Aborts a multipart upload, which deletes its parts.
   * @param {Target} target
   * @param {string} multipartId
   */
  async abortMultipart(target, multipartId) {
    await this.#call(target, { method: 'DELETE', query: { uploadId: multipartId } });
  }

  /**
   * @param {Target} target
   * @param {{ method: string, query?: Record<string, string>, body?: Blob | string | null, contentType?: string } & Watch} call
   */
  async #call(target, { method, query = {}, body = null, contentType, signal, onProgress }) {
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
    const answer = await this.#send({ method, url: signed.url.href, headers: signed.headers, body, signal, onProgress });
    if (answer.status >= 300) throw problemOf(answer.status, parse(answer.text));
    return answer;
  }
}

/** @param {string} text */
const parse = (text) => new DOMParser().parseFromString(text || '<none/>', 'application/xml');

/**
 * @param {Document | Element} node
 * @param {string} name
 */
const textOf = (node, name) => node.getElementsByTagName(name)[0]?.textContent ?? '';

/**
 * @param {number} status
 * @param {Document} answer
 */
const problemOf = (status, answer) =>
  new StorageProblem({
    status,
    code: textOf(answer, 'Code'),
    message: textOf(answer, 'Message'),
    serverTime: textOf(answer, 'ServerTime'),
  });

/** @param {string | null} etag */
const unquoted = (etag) => (etag ?? '').replaceAll('"', '');

/** @param {Blob} blob */
const typeOf = (blob) => blob.type || 'application/octet-stream';
