// How fast does the local object storage take 1 GB in parts, against writing the same bytes to the disk in the client's process? Both
// compute each hash that an upload needs: the signature's, the ETag's and the checksum.
import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pathToFileURL } from 'node:url';
import { crc32 } from 'node:zlib';
import { S3Client } from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { compare } from './support/load.mjs';
import { root } from './support/processes.mjs';

const PART_BYTES = 16 * 1024 ** 2;
const PARTS = 64;
const MEGABYTES = (PART_BYTES * PARTS) / 1024 ** 2;
const QUEUE = 4;
/** One part again and again: to make a gigabyte of random bytes would be measured too. */
const part = randomBytes(PART_BYTES);

export async function run() {
  const folder = mkdtempSync(path.join(tmpdir(), 'media-delivery-bench-'));
  const storage = await start(path.join(folder, 'storage'));
  try {
    const { local, upload } = await compare({
      local: () => megabytesPerSecond(() => writeAndHash(path.join(folder, 'file'))),
      upload: () => megabytesPerSecond(() => uploadTo(storage)),
    });
    return [
      { name: 'write and hash 1 GB in the client, MB', rate: local },
      { name: `multipart upload of 1 GB, ${QUEUE} parts of 16 MiB at once, MB`, rate: upload, ratio: upload / local, target: 0.7 },
      { name: 'peak memory of the storage', note: `${storage.peakMegabytes()} MB (target under 150 MB)` },
    ];
  } finally {
    await storage.release();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function start(dataDir) {
  const load = async (file) => await import(pathToFileURL(path.join(root, 'dist/src/embedded/object-storage', file)).href);
  const { holdObjectStorage } = await load('hold-object-storage.js');
  const { findServer } = await load('server-file.js');
  const storage = await holdObjectStorage({ dataDir, host: '127.0.0.1', port: 0 });
  const { pid } = findServer(dataDir);
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

async function uploadTo({ endpoint, region, bucket, key }) {
  const client = new S3Client({ endpoint, region, credentials: key, forcePathStyle: true });
  const Body = Readable.from(Array(PARTS).fill(part));
  await new Upload({ client, params: { Bucket: bucket, Key: 'bench', Body }, partSize: PART_BYTES, queueSize: QUEUE }).done();
  client.destroy();
}
