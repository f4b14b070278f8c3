import { link, mkdir, readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import {
  CompleteMultipartUploadCommand,
  CopyObjectCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetBucketVersioningCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  ListObjectVersionsCommand,
  type ListObjectVersionsCommandOutput,
  PutObjectCommand,
  type S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { makeTestFolder, removeTestFolder } from '../../test/support/app/test-cluster.js';
import { allow, assumeRole, refusal, s3Client } from '../../test/support/storage/object-storage-clients.js';
import { type LocalStorage, startLocalStorage } from '../src/start-local-storage.js';

let folder: string;
let storage: LocalStorage & { stop(): Promise<void> };
let client: S3Client;

async function start(versions = true): Promise<void> {
  const running = await startLocalStorage({ dataDirectory: folder, port: 0, durable: false, versions });
  storage = { ...running, stop: running.close };
  client = s3Client(storage, storage.key);
}
async function stop(): Promise<void> {
  client.destroy();
  await storage.close();
}
beforeEach(async () => {
  folder = makeTestFolder();
  await start();
});
afterEach(async () => {
  await stop();
  await removeTestFolder(folder);
});

const at = (Key: string) => ({ Bucket: storage.bucket, Key });
const put = async (Key: string, Body: string): Promise<string> =>
  (await client.send(new PutObjectCommand({ ...at(Key), Body }))).VersionId ?? '';
const get = async (Key: string, VersionId?: string): Promise<string | undefined> =>
  await (await client.send(new GetObjectCommand({ ...at(Key), VersionId }))).Body?.transformToString();
const remove = async (Key: string, VersionId?: string) => await client.send(new DeleteObjectCommand({ ...at(Key), VersionId }));

async function putInParts(Key: string, Body: string): Promise<string> {
  const { UploadId } = await client.send(new CreateMultipartUploadCommand(at(Key)));
  const { ETag } = await client.send(new UploadPartCommand({ ...at(Key), UploadId, PartNumber: 1, Body }));
  const complete = { ...at(Key), UploadId, MultipartUpload: { Parts: [{ PartNumber: 1, ETag }] } };
  return (await client.send(new CompleteMultipartUploadCommand(complete))).VersionId ?? '';
}

const versionsOf = async (Prefix: string) => {
  const { Versions = [], DeleteMarkers = [] } = await client.send(new ListObjectVersionsCommand({ Bucket: storage.bucket, Prefix }));
  return {
    versions: Versions.map(({ VersionId, IsLatest, Size }) => [VersionId, IsLatest, Size]),
    markers: DeleteMarkers.map(({ VersionId, IsLatest }) => [VersionId, IsLatest]),
  };
};
const listed = async () => ((await client.send(new ListObjectsV2Command({ Bucket: storage.bucket }))).Contents ?? []).map(({ Key }) => Key);
const partFolders = async () => await readdir(path.join(folder, 'parts'));

describe('The local object storage', () => {
  it('keeps each version of an object, written whole or in parts, and names the current one', async () => {
    const versions = [await put('a', 'one'), await putInParts('a', 'second'), await put('a', 'three!!')];
    expect(new Set(versions).size).toBe(3);
    expect(await get('a')).toBe('three!!');
    expect(await Promise.all(versions.map(async (version) => await get('a', version)))).toEqual(['one', 'second', 'three!!']);
    const heads = versions.map(async (VersionId) => await client.send(new HeadObjectCommand({ ...at('a'), VersionId })));
    expect((await Promise.all(heads)).map(({ VersionId, ContentLength }) => [VersionId, ContentLength])).toEqual([
      [versions[0], 3],
      [versions[1], 6],
      [versions[2], 7],
    ]);
    expect((await client.send(new HeadObjectCommand(at('a')))).VersionId).toBe(versions[2]);
    expect((await versionsOf('a')).versions).toEqual([
      [versions[2], true, 7],
      [versions[1], false, 6],
      [versions[0], false, 3],
    ]);
    expect(await client.send(new GetBucketVersioningCommand({ Bucket: storage.bucket }))).toMatchObject({ Status: 'Enabled' });
    expect(await refusal(get('a', 'f'.repeat(32)))).toEqual({ code: 'NoSuchVersion', status: 404 });
  });

  it('hides an object behind a delete marker, and shows it again without the marker', async () => {
    const version = await put('a', 'one');
    const { DeleteMarker, VersionId: marker } = await remove('a');
    expect(DeleteMarker).toBe(true);
    expect([await refusal(get('a')), await listed()]).toEqual([{ code: 'NoSuchKey', status: 404 }, []]);
    expect(await refusal(get('a', marker))).toEqual({ code: 'MethodNotAllowed', status: 405 });
    expect(await get('a', version)).toBe('one');
    expect(await versionsOf('a')).toEqual({ versions: [[version, false, 3]], markers: [[marker, true]] });
    await remove('a', marker);
    expect([await get('a'), await listed()]).toEqual(['one', ['a']]);
  });

  it('deletes a version for good, with its parts; without the current one the version before is current', async () => {
    const [first, second, third] = [await put('a', 'one'), await putInParts('a', 'two'), await putInParts('a', 'three')];
    await remove('a', second);
    expect(await refusal(get('a', second))).toEqual({ code: 'NoSuchVersion', status: 404 });
    expect(await partFolders()).toHaveLength(1);
    await remove('a', third);
    expect([await get('a'), await partFolders()]).toEqual(['one', []]);
    const Objects = [
      { Key: 'a', VersionId: first },
      { Key: 'none', VersionId: 'null' },
    ];
    const { Deleted } = await client.send(new DeleteObjectsCommand({ Bucket: storage.bucket, Delete: { Objects } }));
    expect(Deleted).toEqual(Objects);
    expect([await listed(), await versionsOf(''), await readdir(path.join(folder, 'objects'), { recursive: true })]).toEqual([
      [],
      { versions: [], markers: [] },
      [expect.stringMatching(/^..$/)],
    ]);
  });

  it('lists versions on as many pages as it takes, each once', async () => {
    for (const key of ['b', 'a', 'a', 'ab', 'a', 'c']) await put(key, 'x');
    await remove('ab');
    const found: string[] = [];
    let position: { KeyMarker?: string; VersionIdMarker?: string } | null = {};
    while (position) {
      const list = new ListObjectVersionsCommand({ Bucket: storage.bucket, MaxKeys: 2, ...position });
      const page: ListObjectVersionsCommandOutput = await client.send(list);
      for (const one of [...(page.Versions ?? []), ...(page.DeleteMarkers ?? [])]) found.push(`${one.Key} ${one.VersionId}`);
      position = page.IsTruncated ? { KeyMarker: page.NextKeyMarker, VersionIdMarker: page.NextVersionIdMarker } : null;
    }
    expect(found.map((one) => one.split(' ')[0]).sort()).toEqual(['a', 'a', 'a', 'ab', 'ab', 'b', 'c']);
    expect(new Set(found).size).toBe(7);
  });

  it('copies a version that is named', async () => {
    const version = await put('a', 'one');
    await put('a', 'two');
    const CopySource = `${storage.bucket}/a?versionId=${version}`;
    expect((await client.send(new CopyObjectCommand({ ...at('b'), CopySource }))).VersionId).toBeTruthy();
    expect(await get('b')).toBe('one');
  });

  it('asks for the rights of versions, which uploaders do not have', async () => {
    const version = await put('a', 'one');
    const Policy = allow(storage, ['s3:PutObject', 's3:GetObject', 's3:DeleteObject'], ['a']);
    const sender = s3Client(storage, await assumeRole(storage, { Policy }));
    const calls = [new GetObjectCommand({ ...at('a'), VersionId: version }), new DeleteObjectCommand({ ...at('a'), VersionId: version })];
    for (const call of calls) expect(await refusal(sender.send(call as GetObjectCommand))).toEqual({ code: 'AccessDenied', status: 403 });
    const list = new ListObjectVersionsCommand({ Bucket: storage.bucket });
    expect(await refusal(sender.send(list))).toEqual({ code: 'AccessDenied', status: 403 });
    sender.destroy();
  });

  it('has the same versions after a new start, also where a kill came between the two steps of a replacement', async () => {
    const [first, second] = [await putInParts('a', 'one'), await putInParts('a', 'second')];
    await stop();
    // What a kill leaves: the current version has been given its name among the earlier ones, and was not replaced yet.
    const objects = path.join(folder, 'objects');
    const [shard = ''] = await readdir(objects);
    const [hash = ''] = await readdir(path.join(objects, shard));
    const earlier = path.join(folder, 'versions', shard, hash);
    await link(path.join(objects, shard, hash), path.join(earlier, `000000000002-${second}`));
    await start();
    expect((await versionsOf('a')).versions).toEqual([
      [second, true, 6],
      [first, false, 3],
    ]);
    const third = await put('a', 'three');
    expect((await versionsOf('a')).versions.map(([id]) => id)).toEqual([third, second, first]);
    expect(await Promise.all([first, second, third].map(async (id) => await get('a', id)))).toEqual(['one', 'second', 'three']);
    expect(await readdir(earlier)).toHaveLength(2);
  });

  it('continues with a folder of objects without versions: existing objects have the version null', async () => {
    await stop();
    await start(false);
    await put('a', 'before');
    await putInParts('b', 'parts');
    expect(await client.send(new GetBucketVersioningCommand({ Bucket: storage.bucket }))).not.toHaveProperty('Status');
    expect((await client.send(new HeadObjectCommand(at('a')))).VersionId).toBeUndefined();
    await stop();
    await rm(path.join(folder, 'versions'), { recursive: true });
    await start();
    expect([await get('a'), await get('b', 'null')]).toEqual(['before', 'parts']);
    expect((await client.send(new HeadObjectCommand(at('a')))).VersionId).toBe('null');
    const after = await put('a', 'after');
    expect([await get('a'), await get('a', 'null')]).toEqual(['after', 'before']);
    await remove('a', after);
    expect(await get('a')).toBe('before');
    await remove('b', 'null');
    expect(await partFolders()).toEqual([]);
  });

  it('without versions it replaces and deletes for good', async () => {
    await stop();
    await start(false);
    expect([await put('a', 'one'), await put('a', 'two'), await get('a')]).toEqual(['', '', 'two']);
    expect((await remove('a')).DeleteMarker).toBeUndefined();
    expect(await versionsOf('')).toEqual({ versions: [], markers: [] });
    await mkdir(path.join(folder, 'versions'), { recursive: true });
    expect(await readdir(path.join(folder, 'versions'))).toEqual([]);
  });
});
