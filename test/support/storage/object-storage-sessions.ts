import { randomBytes } from 'node:crypto';
import {
  AbortMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  ListPartsCommand,
  PutObjectCommand,
  type S3Client,
} from '@aws-sdk/client-s3';
import { AssumeRoleCommand, GetCallerIdentityCommand } from '@aws-sdk/client-sts';
import { Upload } from '@aws-sdk/lib-storage';
import { describe, expect, it } from '@jest/globals';
import { POLICY_KEYS, policyCases, type TriedRequest } from '../delivery/policy-cases.js';
import { allow, assumeRole, type Credentials, denied, freshKey, refusal, s3Client, stsClient } from './object-storage-clients.js';
import type { SuiteContext } from './object-storage-suite.js';

const UPLOADING = ['s3:PutObject', 's3:AbortMultipartUpload', 's3:ListMultipartUploadParts'];
const PART = 5 * 1024 ** 2;
const SEED = 20_261_120;

/** Temporary credentials do what their session policy says, and nothing else. */
export function describeSessions({ storage, client, traits }: SuiteContext): void {
  const at = (Key: string) => ({ Bucket: storage().bucket, Key });
  const as = (credentials: Credentials) => s3Client(storage(), credentials, traits);
  const put = async (who: S3Client, key: string) => await refusal(who.send(new PutObjectCommand({ ...at(key), Body: 'x' })));
  const uploader = async (...keys: string[]) => as(await assumeRole(storage(), { Policy: allow(storage(), UPLOADING, keys) }));

  describe('With a session policy for one key, a client', () => {
    it('uploads it, at once and in parts', async () => {
      const key = freshKey();
      const session = await uploader(key);
      expect(await put(session, key)).toBeNull();
      const Body = randomBytes(2 * PART + 1);
      await new Upload({ client: session, params: { ...at(key), Body }, partSize: PART }).done();
      expect(await client().send(new HeadObjectCommand(at(key)))).toMatchObject({ ContentLength: Body.length });
    });

    it('lists its parts and gives the upload up', async () => {
      const key = freshKey();
      const session = await uploader(key);
      const { UploadId } = await session.send(new CreateMultipartUploadCommand(at(key)));
      expect(await refusal(session.send(new ListPartsCommand({ ...at(key), UploadId })))).toBeNull();
      expect(await refusal(session.send(new AbortMultipartUploadCommand({ ...at(key), UploadId })))).toBeNull();
    });

    it('uploads nothing beside it', async () => {
      const key = freshKey('1.bin');
      const session = await uploader(key);
      for (const other of [`${key}.bak`, key.slice(0, -1), key.replace('1.bin', '2.bin'), freshKey('1.bin'), key.toUpperCase()]) {
        expect(await put(session, other)).toEqual(denied);
        expect(await refusal(session.send(new CreateMultipartUploadCommand(at(other))))).toEqual(denied);
      }
    });

    it('neither reads, lists nor deletes', async () => {
      const key = freshKey();
      const session = await uploader(key);
      await put(session, key);
      expect(await refusal(session.send(new GetObjectCommand(at(key))))).toEqual(denied);
      expect(await refusal(session.send(new DeleteObjectCommand(at(key))))).toEqual(denied);
      expect(await refusal(session.send(new ListObjectsV2Command({ Bucket: storage().bucket })))).toEqual(denied);
      expect(await refusal(client().send(new HeadObjectCommand(at(key))))).toBeNull();
    });

    it('touches no upload of another one', async () => {
      const [mine, theirs] = [freshKey(), freshKey()];
      const { UploadId } = await client().send(new CreateMultipartUploadCommand(at(theirs)));
      const session = await uploader(mine);
      expect(await refusal(session.send(new AbortMultipartUploadCommand({ ...at(theirs), UploadId })))).toEqual(denied);
      const underOwnKey = await refusal(session.send(new AbortMultipartUploadCommand({ ...at(mine), UploadId })));
      expect(underOwnKey).toMatchObject({ code: 'NoSuchUpload' });
      expect(await refusal(client().send(new ListPartsCommand({ ...at(theirs), UploadId })))).toBeNull();
    });
  });

  it('gives one session several keys', async () => {
    const keys = [freshKey(), freshKey()];
    const session = await uploader(...keys);
    for (const key of keys) expect(await put(session, key)).toBeNull();
  });

  it('refuses credentials that were changed', async () => {
    const key = freshKey();
    const good = await assumeRole(storage(), { Policy: allow(storage(), UPLOADING, [key]) });
    const other = await assumeRole(storage(), { Policy: allow(storage(), UPLOADING, [freshKey()]) });
    const token = good.sessionToken ?? '';
    const changedAt = (place: number) => `${token.slice(0, place)}${token[place] === 'A' ? 'B' : 'A'}${token.slice(place + 1)}`;
    const places = traits.sealsTokens === false ? [0] : [0, Math.floor(token.length / 2)];
    const forgeries: Credentials[] = [
      ...places.map((place) => ({ ...good, sessionToken: changedAt(place) })),
      { ...good, sessionToken: other.sessionToken },
      { ...good, secretAccessKey: other.secretAccessKey },
      { ...good, sessionToken: undefined },
      { ...good, accessKeyId: storage().key.accessKeyId },
    ];
    for (const forgery of forgeries) expect((await put(as(forgery), key))?.status).toBeGreaterThanOrEqual(400);
    expect(await put(as(good), key)).toBeNull();
  });

  it('refuses credentials that have expired', async () => {
    const { advance } = storage();
    if (!advance) return; // the shortest session lasts a quarter of an hour
    const key = freshKey();
    const session = await uploader(key);
    expect(await put(session, key)).toBeNull();
    advance(900_000);
    expect(await put(session, key)).toEqual({ code: 'ExpiredToken', status: 400 });
    advance(-900_000);
  });

  it('does not let a session assume the role again', async () => {
    const session = await assumeRole(storage());
    const again = stsClient(storage(), session).send(new AssumeRoleCommand({ RoleArn: storage().roleArn, RoleSessionName: 'again' }));
    expect(await refusal(again)).toMatchObject({ status: 403 });
  });

  it('keeps to the limits of AssumeRole', async () => {
    const attempt = async (input: Parameters<typeof assumeRole>[1]) => (await refusal(assumeRole(storage(), input)))?.status;
    expect(await attempt({ DurationSeconds: 43_200 })).toBeUndefined();
    expect(await attempt({ DurationSeconds: 899 })).toBe(400);
    expect(await attempt({ DurationSeconds: 43_201 })).toBe(400);
    expect(await attempt({ RoleArn: `${storage().roleArn}-of-nobody` })).toBeGreaterThanOrEqual(403);
    expect(await attempt({ Policy: 'no policy' })).toBe(400);
  });

  it('says when a packed policy is too large', async () => {
    if (traits.packsPolicies === false) return;
    const keys = Array.from({ length: 24 }, () => `uploads/${randomBytes(16).toString('hex')}`);
    const attempt = async (count: number) =>
      await refusal(assumeRole(storage(), { Policy: allow(storage(), ['s3:PutObject'], keys.slice(0, count)) }));
    expect(await attempt(10)).toBeNull();
    expect(await attempt(24)).toEqual({ code: 'PackedPolicyTooLargeException', status: 400 });
  });

  it('tells callers who they are', async () => {
    if (traits.packsPolicies === false) return; // not every server has GetCallerIdentity
    const session = await assumeRole(storage(), { RoleSessionName: 'somebody' });
    const { Arn } = await stsClient(storage(), session).send(new GetCallerIdentityCommand({}));
    expect(Arn).toMatch(/:assumed-role\/.+\/somebody$/);
  });

  it('comes to the same verdict as the rules of AWS for many policies', async () => {
    const cases = policyCases(traits.policyPairs ?? 300, SEED, storage().bucket);
    expect(new Set(cases.map(({ allowed }) => allowed)).size).toBe(2);
    for (const key of POLICY_KEYS) expect(await put(client(), key)).toBeNull();
    const wrong = [];
    for (const { policy, request, allowed } of cases) {
      const session = as(await assumeRole(storage(), { Policy: policy }));
      const answer = await refusal(tryRequest(session, storage().bucket, request));
      session.destroy();
      if (request.operation === 'DeleteObject' && allowed) expect(await put(client(), request.key)).toBeNull();
      if (JSON.stringify(answer) !== JSON.stringify(allowed ? null : denied)) wrong.push({ policy, request, allowed, answer });
    }
    expect(wrong).toEqual([]);
  });
}

/** Does what a case of policyCases wants to try. */
export async function tryRequest(client: S3Client, bucket: string, { operation, key }: TriedRequest): Promise<unknown> {
  const at = { Bucket: bucket, Key: key };
  if (operation === 'PutObject') return await client.send(new PutObjectCommand({ ...at, Body: 'x' }));
  if (operation === 'CreateMultipartUpload') return await client.send(new CreateMultipartUploadCommand(at));
  if (operation === 'DeleteObject') return await client.send(new DeleteObjectCommand(at));
  if (operation === 'ListObjects') return await client.send(new ListObjectsV2Command({ Bucket: bucket, MaxKeys: 1 }));
  const { Body } = await client.send(new GetObjectCommand(at));
  return await Body?.transformToString();
}
