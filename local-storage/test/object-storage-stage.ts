import path from 'node:path';
import type { S3Client } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, beforeEach } from '@jest/globals';
import { makeTestFolder, removeTestFolder } from '../../test/support/app/test-cluster.js';
import { type Credentials, s3Client } from '../../test/support/storage/object-storage-clients.js';
import {
  canonicalRequest,
  encodeRfc3986,
  scopeText,
  sha256Hex,
  signatureOf,
  signingKey,
  signRequest,
  toAmzTime,
} from '../src/signature/signature.js';
import { type LocalStorage, startLocalStorage } from '../src/start-local-storage.js';

export const EMPTY = sha256Hex('');

export const codeOf = (document: string): string => /<Code>(\w+)<\/Code>/.exec(document)?.[1] ?? '';

interface Sending {
  readonly headers?: Record<string, string>;
  readonly body?: string | Buffer;
  readonly payload?: string;
  readonly key?: Credentials;
}

/** The local object storage with a client, and requests that are signed by hand. */
export class ObjectStorageStage {
  folder: string;
  storage: LocalStorage & { stop(): Promise<void> };
  client: S3Client;
  /** How far the storage's clock is ahead. */
  offsetMs = 0;
  private stoppedAt: number | null = null;

  async start(): Promise<void> {
    this.folder = makeTestFolder();
    const now = () => this.now();
    const dataDirectory = path.join(this.folder, 'storage');
    const running = await startLocalStorage({ dataDirectory, port: 0, now, durable: false });
    this.storage = { ...running, stop: running.close };
    this.client = s3Client(this.storage, this.storage.key);
  }

  async stop(): Promise<void> {
    this.client?.destroy();
    await this.storage?.close();
    await removeTestFolder(this.folder);
  }

  /** The storage's time. */
  now(): Date {
    return new Date((this.stoppedAt ?? Date.now()) + this.offsetMs);
  }

  /** From now on the storage's time changes by `offsetMs` only. */
  stopClock(): void {
    this.stoppedAt = Date.now();
  }

  resetClock(): void {
    this.stoppedAt = null;
    this.offsetMs = 0;
  }

  at(Key: string) {
    return { Bucket: this.storage.bucket, Key };
  }

  urlOf(target: string): URL {
    return new URL(`${this.storage.endpoint}/${this.storage.bucket}${target}`);
  }

  /** A request that is signed by hand; `host` is added by fetch itself. */
  async send(method: string, target: string, { headers = {}, body, payload, key = this.storage.key }: Sending = {}) {
    const url = this.urlOf(target);
    const hash = payload ?? (body === undefined ? EMPTY : sha256Hex(Buffer.from(body)));
    const request = { method, url, headers: { ...headers, 'x-amz-content-sha256': hash }, payload: hash };
    const { host: _, ...signed } = signRequest(request, { key, region: this.storage.region, service: 's3', at: new Date() });
    const response = await fetch(url, {
      method,
      headers: signed,
      body: body === undefined ? undefined : new Uint8Array(Buffer.from(body)),
    });
    return { status: response.status, headers: response.headers, text: await response.text() };
  }

  presign(
    key: string,
    more: Record<string, string> = {},
    { accessKeyId, secretAccessKey, sessionToken }: Credentials = this.storage.key,
  ): URL {
    const url = this.urlOf(`/${key}`);
    const time = toAmzTime(this.now());
    const scope = { date: time.slice(0, 8), region: this.storage.region, service: 's3' };
    const query = Object.entries({
      'X-Amz-Algorithm': 'AWS4-HMAC-SHA256',
      'X-Amz-Credential': `${accessKeyId}/${scopeText(scope)}`,
      'X-Amz-Date': time,
      'X-Amz-Expires': '60',
      'X-Amz-SignedHeaders': 'host',
      ...(sessionToken && { 'X-Amz-Security-Token': sessionToken }),
      ...more,
    });
    const request = { method: 'GET', path: decodeURIComponent(url.pathname), query, headers: new Map([['host', url.host]]) };
    const canonical = canonicalRequest(request, { signedHeaders: ['host'], payload: 'UNSIGNED-PAYLOAD' });
    const toSign = ['AWS4-HMAC-SHA256', time, scopeText(scope), sha256Hex(canonical)].join('\n');
    const signature = signatureOf(signingKey(secretAccessKey, scope), toSign);
    url.search = [...query, ['X-Amz-Signature', signature]]
      .map(([name = '', value = '']) => `${encodeRfc3986(name)}=${encodeRfc3986(value)}`)
      .join('&');
    return url;
  }
}

/** The stage of a test file: it stands before the first test and is gone after the last. */
export function stageObjectStorage(): ObjectStorageStage {
  const stage = new ObjectStorageStage();
  beforeAll(async () => await stage.start());
  beforeEach(() => stage.resetClock());
  afterAll(async () => await stage.stop());
  return stage;
}
