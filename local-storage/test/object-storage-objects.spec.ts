import { createHash, randomBytes } from 'node:crypto';
import { text } from 'node:stream/consumers';
import { crc32 } from 'node:zlib';
import {
  type ChecksumAlgorithm,
  CompleteMultipartUploadCommand,
  CopyObjectCommand,
  CreateMultipartUploadCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  UploadPartCommand,
  UploadPartCopyCommand,
} from '@aws-sdk/client-s3';
import { describe, expect, it } from '@jest/globals';
import { assumeRole, freshKey, refusal, s3Client } from '../../test/support/storage/object-storage-clients.js';
import { codeOf, stageObjectStorage } from './object-storage-stage.js';

const PART = 5 * 1024 ** 2;

const stage = stageObjectStorage();

describe('A key', () => {
  it.each(['ä ö/ü&<>"\'', '../../etc/passwd', 'a//b', '/leading', '.', '..', '%2F+%20', '🎬.mp4', 'tab\there', `${'k'.repeat(1024)}`])(
    'may be %j',
    async (key) => {
      await stage.client.send(new PutObjectCommand({ ...stage.at(key), Body: key }));
      const { Body } = await stage.client.send(new GetObjectCommand(stage.at(key)));
      const { Contents } = await stage.client.send(new ListObjectsV2Command({ ...stage.at(key), Prefix: key, MaxKeys: 1 }));
      expect([await Body?.transformToString(), Contents?.[0]?.Key]).toEqual([key, key]);
    },
  );

  it('has 1,024 bytes at most', async () => {
    const tooLong = stage.client.send(new PutObjectCommand({ ...stage.at('ü'.repeat(513)), Body: 'x' }));
    expect(await refusal(tooLong)).toEqual({ code: 'KeyTooLongError', status: 400 });
  });
});

describe('A checksum', () => {
  const algorithms: ChecksumAlgorithm[] = ['CRC32', 'CRC32C', 'CRC64NVME', 'SHA1', 'SHA256'];

  it.each(algorithms.filter((one) => one !== 'CRC64NVME'))('%s is checked, kept and answered', async (ChecksumAlgorithm) => {
    const key = freshKey();
    const put = await stage.client.send(new PutObjectCommand({ ...stage.at(key), Body: 'hello', ChecksumAlgorithm }));
    const head = await stage.client.send(new HeadObjectCommand({ ...stage.at(key), ChecksumMode: 'ENABLED' }));
    const field = `Checksum${ChecksumAlgorithm}` as 'ChecksumCRC32';
    expect(put[field]).toMatch(/=$/);
    expect(head).toMatchObject({ [field]: put[field], ChecksumType: 'FULL_OBJECT' });
  });

  it.each(algorithms)('%s that is wrong keeps the object out', async (algorithm) => {
    const key = freshKey();
    const wrong = { CRC32: 4, CRC32C: 4, CRC64NVME: 8, SHA1: 20, SHA256: 32 }[algorithm as 'CRC32'];
    const headers = { [`x-amz-checksum-${algorithm.toLowerCase()}`]: Buffer.alloc(wrong).toString('base64') };
    const answer = await stage.send('PUT', `/${key}`, { body: 'hello', headers });
    expect([answer.status, codeOf(answer.text)]).toEqual([400, 'BadDigest']);
    expect(await refusal(stage.client.send(new HeadObjectCommand(stage.at(key))))).toMatchObject({ status: 404 });
  });

  it('may follow the body', async () => {
    const sum = Buffer.alloc(4);
    sum.writeUInt32BE(crc32('hello'));
    const put = async (trailer: string) => {
      const headers = { 'x-amz-decoded-content-length': '5', 'x-amz-trailer': 'x-amz-checksum-crc32', 'content-encoding': 'aws-chunked' };
      const body = `5\r\nhello\r\n0\r\nx-amz-checksum-crc32:${trailer}\r\n\r\n`;
      return await stage.send('PUT', `/${freshKey()}`, { headers, body, payload: 'STREAMING-UNSIGNED-PAYLOAD-TRAILER' });
    };
    expect((await put(sum.toString('base64'))).headers.get('x-amz-checksum-crc32')).toBe(sum.toString('base64'));
    expect(codeOf((await put('AAAAAA==')).text)).toBe('BadDigest');
  });

  it('of a whole object is put together from those of its parts', async () => {
    const key = freshKey();
    const created = await stage.client.send(
      new CreateMultipartUploadCommand({ ...stage.at(key), ChecksumAlgorithm: 'CRC32', ChecksumType: 'FULL_OBJECT' }),
    );
    const data = [randomBytes(PART), randomBytes(100)];
    const Parts = [];
    for (const [index, Body] of data.entries()) {
      const part = { ...stage.at(key), UploadId: created.UploadId, PartNumber: index + 1, Body };
      Parts.push({
        PartNumber: index + 1,
        ETag: (await stage.client.send(new UploadPartCommand({ ...part, ChecksumAlgorithm: 'CRC32' }))).ETag,
      });
    }
    const done = await stage.client.send(
      new CompleteMultipartUploadCommand({ ...stage.at(key), UploadId: created.UploadId, MultipartUpload: { Parts } }),
    );
    const sum = Buffer.alloc(4);
    sum.writeUInt32BE(crc32(Buffer.concat(data)));
    expect(done).toMatchObject({ ChecksumCRC32: sum.toString('base64'), ChecksumType: 'FULL_OBJECT' });
  });
});

describe('A write', () => {
  it('with If-None-Match: * happens once, however many try', async () => {
    const key = freshKey();
    const attempts = Array.from({ length: 8 }, (_, index) =>
      stage.client.send(new PutObjectCommand({ ...stage.at(key), Body: String(index), IfNoneMatch: '*' })),
    );
    const refusals = await Promise.all(attempts.map(refusal));
    expect(refusals.filter((one) => one === null)).toHaveLength(1);
    expect(refusals.find((one) => one !== null)).toEqual({ code: 'PreconditionFailed', status: 412 });
  });

  it('replaces an object during a read, which completes with the old content', async () => {
    const key = freshKey();
    const { UploadId } = await stage.client.send(new CreateMultipartUploadCommand(stage.at(key)));
    const data = [randomBytes(PART), randomBytes(PART)];
    const Parts = [];
    for (const [index, Body] of data.entries())
      Parts.push({
        PartNumber: index + 1,
        ETag: (await stage.client.send(new UploadPartCommand({ ...stage.at(key), UploadId, PartNumber: index + 1, Body }))).ETag,
      });
    await stage.client.send(new CompleteMultipartUploadCommand({ ...stage.at(key), UploadId, MultipartUpload: { Parts } }));
    const { Body } = await stage.client.send(new GetObjectCommand(stage.at(key)));
    await stage.client.send(new PutObjectCommand({ ...stage.at(key), Body: 'new' }));
    const old = Buffer.from((await Body?.transformToByteArray()) ?? []);
    expect(createHash('md5').update(old).digest('hex')).toBe(createHash('md5').update(Buffer.concat(data)).digest('hex'));
    expect(
      await text((await stage.client.send(new GetObjectCommand(stage.at(key)))).Body as NodeJS.ReadableStream & AsyncIterable<Buffer>),
    ).toBe('new');
  });

  it('that is repeated after a lost answer completes the same upload', async () => {
    const key = freshKey();
    const { UploadId } = await stage.client.send(new CreateMultipartUploadCommand(stage.at(key)));
    const { ETag } = await stage.client.send(new UploadPartCommand({ ...stage.at(key), UploadId, PartNumber: 1, Body: 'x' }));
    const complete = () =>
      stage.client.send(
        new CompleteMultipartUploadCommand({ ...stage.at(key), UploadId, MultipartUpload: { Parts: [{ PartNumber: 1, ETag }] } }),
      );
    expect((await complete()).ETag).toBe((await complete()).ETag);
  });
});

describe('A copy', () => {
  it('has the data and details of its source, or new details', async () => {
    const [source, target] = [freshKey('sö urce'), freshKey()];
    await stage.client.send(new PutObjectCommand({ ...stage.at(source), Body: 'hello', ContentType: 'text/plain', Metadata: { a: '1' } }));
    const CopySource = `${stage.storage.bucket}/${encodeURIComponent(source)}`;
    await stage.client.send(new CopyObjectCommand({ ...stage.at(target), CopySource }));
    expect(await stage.client.send(new HeadObjectCommand(stage.at(target)))).toMatchObject({
      ContentLength: 5,
      ContentType: 'text/plain',
      Metadata: { a: '1' },
    });
    await stage.client.send(new CopyObjectCommand({ ...stage.at(target), CopySource, MetadataDirective: 'REPLACE', Metadata: { b: '2' } }));
    expect((await stage.client.send(new HeadObjectCommand(stage.at(target)))).Metadata).toEqual({ b: '2' });
  });

  it('needs the right to read its source', async () => {
    const [source, target] = [freshKey(), freshKey()];
    await stage.client.send(new PutObjectCommand({ ...stage.at(source), Body: 'secret' }));
    const Policy = JSON.stringify({
      Statement: { Effect: 'Allow', Action: 's3:PutObject', Resource: `arn:aws:s3:::${stage.storage.bucket}/${target}` },
    });
    const session = s3Client(stage.storage, await assumeRole(stage.storage, { Policy }));
    const CopySource = `${stage.storage.bucket}/${source}`;
    expect(await refusal(session.send(new CopyObjectCommand({ ...stage.at(target), CopySource })))).toEqual({
      code: 'AccessDenied',
      status: 403,
    });
    const { UploadId } = await session.send(new CreateMultipartUploadCommand(stage.at(target)));
    const part = session.send(new UploadPartCopyCommand({ ...stage.at(target), UploadId, PartNumber: 1, CopySource }));
    expect(await refusal(part)).toEqual({ code: 'AccessDenied', status: 403 });
    session.destroy();
  });

  it('may be a part', async () => {
    const [source, target] = [freshKey(), freshKey()];
    await stage.client.send(new PutObjectCommand({ ...stage.at(source), Body: '0123456789' }));
    const { UploadId } = await stage.client.send(new CreateMultipartUploadCommand(stage.at(target)));
    const copy = {
      ...stage.at(target),
      UploadId,
      PartNumber: 1,
      CopySource: `${stage.storage.bucket}/${source}`,
      CopySourceRange: 'bytes=2-4',
    };
    const { CopyPartResult } = await stage.client.send(new UploadPartCopyCommand(copy));
    const Parts = [{ PartNumber: 1, ETag: CopyPartResult?.ETag }];
    await stage.client.send(new CompleteMultipartUploadCommand({ ...stage.at(target), UploadId, MultipartUpload: { Parts } }));
    expect(await (await stage.client.send(new GetObjectCommand(stage.at(target)))).Body?.transformToString()).toBe('234');
  });
});
