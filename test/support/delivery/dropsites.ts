import { PutObjectCommand } from '@aws-sdk/client-s3';
import { Database } from '../../../src/shared/database/index.js';
import { aUser } from '../accounts/scenario.js';
import type { TestApp } from '../app/test-app.js';
import { type Answer, aFile, call, clientFor, type ProcessedItem, tokenOf, type UploadDocument } from '../media/uploads.js';

/** A dropsite as its managers see it. */
export interface DropsiteBody extends Record<string, unknown> {
  readonly id: number;
  readonly link: string;
  readonly clientId: string;
  readonly ownerId: number;
  readonly customerId: number;
  readonly countUploads: number;
}

/** What a dropsite token answers. */
export interface SessionBody extends Record<string, unknown> {
  readonly access_token: string;
  readonly email: string;
  readonly user: { readonly id: number; readonly customerId: number; readonly adminLevel: number; readonly email: string };
}

/** A user with a token, and a dropsite of theirs. */
export async function aDropsite(app: TestApp, fields: Record<string, unknown> = {}) {
  const owner = await aUser(app);
  const token = await tokenOf(app, owner);
  const { status, body } = await call<DropsiteBody>(`${app.url}/v5/dropsite`, { token, body: { name: 'Photos', ...fields } });
  if (status !== 201) throw new Error(`No dropsite was made: ${JSON.stringify(body)}`);
  return { owner, token, dropsite: body };
}

/** What senders do, one call each. `headers` and `token` as they are sent. */
export function senderOf({ url }: Pick<TestApp, 'url'>, link: string) {
  type Credentials = { token?: string | null; headers?: Record<string, string> };
  const post = async <Body = Record<string, unknown>>(path: string, body: object, credentials: Credentials = {}): Promise<Answer<Body>> =>
    await call<Body>(`${url}/v5/${path}`, { body, ...credentials });
  const deliver = async (headers: Record<string, string> = {}) =>
    await call<Record<string, unknown> & { code: string; clientId: string }>(`${url}/v5/dropsite/deliver/${link}`, { headers });
  return {
    deliver,
    begin: async (body: object, headers: Record<string, string> = {}) =>
      await post<SessionBody>(`dropsite/${link}/token`, body, { headers }),
    /** A session with a code of its own. */
    session: async (body: object = {}) => {
      const { code } = (await deliver()).body;
      const { status, body: session } = await post<SessionBody>(`dropsite/${link}/token`, { code, ...body });
      if (status !== 200) throw new Error(`No session began: ${JSON.stringify(session)}`);
      return session;
    },
    create: async (body: object = {}, credentials: Credentials = {}) =>
      await post<UploadDocument>('dropsite/createUpload', { link, payload: [aFile()], ...body }, credentials),
    started: async (body: object, credentials: Credentials = {}) => await post('dropsite/uploadStarted', { link, ...body }, credentials),
    succeed: async ({ bucket, s3Key: key }: ProcessedItem, credentials: Credentials = {}) =>
      await post('s3/success', { bucket, key }, credentials),
    complete: async (uploadId: string, credentials: Credentials = {}) => await post('s3/uploadComplete', { uploadId }, credentials),
  };
}

export const put = async (item: ProcessedItem, content = 'hello world') =>
  await clientFor(item).send(new PutObjectCommand({ Bucket: item.bucket, Key: item.s3Key, Body: content }));

/** The events of an upload, by name, in the order of their making. */
export async function eventsOf({ app }: TestApp, dropsite: { id: number }) {
  const sql = `SELECT name, method, payload FROM events WHERE (payload->>'dropsiteId')::int = $1 ORDER BY created_at, name`;
  return (await app.get(Database).query<{ name: string; method: string; payload: Record<string, unknown> }>(sql, [dropsite.id])).rows;
}

/** Status and error code of answers, in short. */
export const refusals = (answers: readonly { readonly status: number; readonly body: unknown }[]) =>
  answers.map(({ status, body }) => [status, (body as { code?: unknown } | null)?.code]);
