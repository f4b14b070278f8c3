import { S3Client, type S3ClientConfig } from '@aws-sdk/client-s3';
import { AccessTokenIssuerService } from '../../../src/modules/access/index.js';
import type { Authentication } from '../../../src/shared/auth/index.js';
import { Clock } from '../../../src/shared/clock.js';
import type { TestApp } from '../app/test-app.js';

/** What createUpload answers, as clients see it. */
export interface UploadDocument {
  readonly uploadId: string;
  readonly jobId: string;
  readonly processed: readonly ProcessedItem[];
  readonly error: readonly (Record<string, unknown> & { readonly index: number; readonly code: string })[];
  readonly transferAcceleration: boolean;
}

export interface ProcessedItem extends Record<string, unknown> {
  readonly index: number;
  readonly id: number;
  readonly mediaId: number;
  readonly bucket: string;
  readonly region: string;
  readonly s3Key: string;
  readonly endpoint?: string;
  readonly forcePathStyle?: boolean;
  readonly credentials: { AccessKeyId: string; SecretAccessKey: string; SessionToken: string; Expiration: string };
}

export interface Answer<Body = Record<string, unknown>> {
  readonly status: number;
  readonly body: Body;
  readonly headers: Headers;
}

/** An access token of a user who has just signed in with the password, or as `authentication` says, without the way through the pages. */
export async function tokenOf(
  { app }: Pick<TestApp, 'app'>,
  user: { id: number },
  scope = 'api',
  authentication: Authentication = { amr: ['pwd'], authTime: Math.floor(app.get(Clock).now().getTime() / 1_000) },
): Promise<string> {
  const issued = await app
    .get(AccessTokenIssuerService)
    .issue({ userId: user.id, clientId: 'tests', scope, authorization: null, authentication });
  return issued.accessToken;
}

/** One call of the API with JSON; `token` null: without credentials. */
export async function call<Body = Record<string, unknown>>(
  url: string,
  options: { method?: string; token?: string | null; body?: unknown; headers?: Record<string, string> } = {},
): Promise<Answer<Body>> {
  const { method = options.body === undefined ? 'GET' : 'POST', token = null, body, headers = {} } = options;
  const response = await fetch(url, {
    method,
    headers: {
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(token !== null && { authorization: `Bearer ${token}` }),
      ...headers,
    },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  const text = await response.text();
  return { status: response.status, body: (text ? JSON.parse(text) : null) as Body, headers: response.headers };
}

export const aFile = (overrides: Record<string, unknown> = {}) => ({
  type: 'image',
  fileName: 'portrait.jpg',
  originalFileExtension: 'jpg',
  fileSize: 11,
  ...overrides,
});

/** A stock S3 client with the temporary credentials of an item. */
export function clientFor({ region, endpoint, forcePathStyle, credentials }: ProcessedItem, options: S3ClientConfig = {}): S3Client {
  const { AccessKeyId: accessKeyId, SecretAccessKey: secretAccessKey, SessionToken: sessionToken } = credentials;
  return new S3Client({ region, endpoint, forcePathStyle, credentials: { accessKeyId, secretAccessKey, sessionToken }, ...options });
}
