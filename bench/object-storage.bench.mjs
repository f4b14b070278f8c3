// How fast does the local object storage receive 1 GB in parts, against writing the same bytes to the disk in the client's process? Both
// compute each hash that an upload needs: for the signature, the ETag and the checksum.
import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import http from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pathToFileURL } from 'node:url';
import { crc32 } from 'node:zlib';
import { S3Client } from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { findLocalStorage } from '@media-delivery/local-storage';
import { AwsV4Signer } from 'aws4fetch';
import { compare } from './support/load.mjs';
import { root } from './support/processes.mjs';

const PART_BYTES = 16 * 1024 ** 2;
const PARTS = 64;
const MEGABYTES = (PART_BYTES * PARTS) / 1024 ** 2;
const QUEUE = 4;
/** The same part is sent repeatedly, because generating a gigabyte of random bytes would be measured too. */
const part = randomBytes(PART_BYTES);

export async function run() {
  const folder = mkdtempSync(path.join(tmpdir(), 'media-delivery-bench-'));
  const storage = await start(path.join(folder, 'storage'));
  try {
    const { local, page, sdk } = await compare({
      local: () => megabytesPerSecond(() => writeAndHash(path.join(folder, 'file'))),
      page: () => megabytesPerSecond(() => uploadAsThePage(storage)),
      sdk: () => megabytesPerSecond(() => uploadByTheSdk(storage)),
    });
    return [
      { name: 'write and hash 1 GB in the client, MB', rate: local },
      {
        name: `multipart upload of 1 GB as the upload page sends it, ${QUEUE} parts at once, MB`,
        rate: page,
        ratio: page / local,
        target: 0.7,
      },
      { name: `the same by the AWS SDK (lib-storage), which hashes each part twice before it sends it, MB`, rate: sdk, ratio: sdk / local },
      { name: 'peak memory of the storage', note: `${storage.peakMegabytes()} MB (target under 150 MB)` },
    ];
  } finally {
    await storage.release();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function start(dataDir) {
  const program = path.join(root, 'dist/src/embedded/object-storage/acquire-object-storage.js');
  const { acquireObjectStorage } = await import(pathToFileURL(program).href);
  const storage = await acquireObjectStorage({ dataDir, host: '127.0.0.1', port: 0 });
  const { pid } = findLocalStorage(dataDir);
  const peakMegabytes = () => Math.round(Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1024);
  return { ...storage, peakMegabytes };
}

async function megabytesPerSecond(work) {
  const startedAt = performance.now();
  await work();
  return MEGABYTES / ((performance.now() - startedAt) / 1000);
}

async function writeAndHash(file) {
  const [md5, sha256] = [createHash('md5'), createHash('sha256')];
  let checksum = 0;
  const handle = await open(file, 'w');
  for (let index = 0; index < PARTS; index += 1) {
    const writing = handle.write(part);
    md5.update(part);
    sha256.update(part);
    checksum = crc32(part, checksum);
    await writing;
  }
  await handle.sync();
  await handle.close();
}

/** Parts whose payload is not signed, because the connection protects it. */
async function uploadAsThePage({ endpoint, region, bucket, key }) {
  const agent = new http.Agent({ keepAlive: true, maxSockets: QUEUE });
  const send = async (method, query, body) => {
    const url = `${endpoint}/${bucket}/page?${query}`;
    const headers = { 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD' };
    const signed = await new AwsV4Signer({ method, url, headers, ...key, region, service: 's3' }).sign();
    return await request(url, { method, agent, headers: { ...Object.fromEntries(signed.headers), 'content-length': body.length } }, body);
  };
  const begun = await send('POST', 'uploads=', Buffer.alloc(0));
  const uploadId = encodeURIComponent(/<UploadId>(.*)<\/UploadId>/.exec(begun.text)[1]);
  const numbers = Array.from({ length: PARTS }, (_, index) => index + 1);
  const etags = new Map();
  const sendParts = async () => {
    for (let number = numbers.shift(); number; number = numbers.shift()) {
      etags.set(number, (await send('PUT', `partNumber=${number}&uploadId=${uploadId}`, part)).etag);
    }
  };
  await Promise.all(Array.from({ length: QUEUE }, sendParts));
  const parts = Array.from(
    { length: PARTS },
    (_, index) => `<Part><PartNumber>${index + 1}</PartNumber><ETag>${etags.get(index + 1)}</ETag></Part>`,
  );
  await send('POST', `uploadId=${uploadId}`, Buffer.from(`<CompleteMultipartUpload>${parts.join('')}</CompleteMultipartUpload>`));
  agent.destroy();
}

async function request(url, options, body) {
  return await new Promise((resolve, reject) => {
    const sent = http.request(url, options, async (response) => {
      let text = '';
      for await (const piece of response) text += piece;
      if (response.statusCode === 200) resolve({ text, etag: response.headers.etag });
      else reject(new Error(`${response.statusCode}: ${text}`));
    });
    sent.on('error', reject).end(body);
  });
}

async function uploadByTheSdk({ endpoint, region, bucket, key }) {
  const client = new S3Client({ endpoint, region, credentials: key, forcePathStyle: true });
  const Body = Readable.from(Array(PARTS).fill(part));
  await new Upload({ client, params: { Bucket: bucket, Key: 'bench', Body }, partSize: PART_BYTES, queueSize: QUEUE }).done();
  client.destroy();
}
