// Media and formats of a running service, through its API, as any client would.
import { createReadStream, statSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { S3Client } from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import sharp from 'sharp';

async function call({ url, token }, method, operation, body) {
  const headers = { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) };
  const response = await fetch(`${url}/v5/${operation}`, { method, headers, body: body && JSON.stringify(body) });
  if (!response.ok) throw new Error(`${method} ${operation} answered ${response.status}: ${await response.text()}`);
  return await response.json();
}

/** Writes a JPEG with as much detail as a photograph, beside the data of the service; returns its path. */
export async function writePhoto({ dataDir }, { width, height }) {
  const file = path.join(path.dirname(dataDir), 'photo.jpg');
  const noise = { type: 'gaussian', mean: 128, sigma: 30 };
  await sharp({ create: { width, height, channels: 3, background: 'tomato', noise } }).toFile(file);
  return file;
}

/** Uploads a file and reports its success; returns the item of the upload document. */
export async function uploadFile(access, { file, type }) {
  const { name, ext } = path.parse(file);
  const item = { type, fileName: name, originalFileExtension: ext.slice(1), fileSize: statSync(file).size };
  const { processed, uploadId } = await call(access, 'POST', 's3/createUpload', { payload: [item] });
  const [{ id, bucket, s3Key, region, endpoint, credentials }] = processed;
  const { AccessKeyId: accessKeyId, SecretAccessKey: secretAccessKey, SessionToken: sessionToken } = credentials;
  const client = new S3Client({ region, endpoint, forcePathStyle: true, credentials: { accessKeyId, secretAccessKey, sessionToken } });
  const params = { Bucket: bucket, Key: s3Key, Body: createReadStream(file) };
  await new Upload({ client, params, partSize: 16 * 1024 ** 2 }).done();
  client.destroy();
  await call(access, 'POST', 's3/success', { bucket, key: s3Key });
  await call(access, 'POST', 's3/uploadComplete', { uploadId });
  return { mediaContainerId: id };
}

export async function findBlueprint(access, name) {
  const found = (await call(access, 'GET', 'format')).find((format) => format.isBlueprint && format.name === name);
  if (!found) throw new Error(`There is no blueprint ${name}.`);
  return found;
}

/** Requests a rendition; returns the id of the job. */
export async function transcode(access, containerId, formatId) {
  const { jobs } = await call(access, 'POST', `mediacontainer/${containerId}/transcode`, { formatIds: [formatId] });
  return jobs[0].jobId;
}

/** Long, because polling takes time from the service and from the worker on the same machine. The measured times are those that the service records. */
const LOOK_EVERY_MS = 3_000;

/** Waits until all jobs have ended; returns them as the service lists them. Throws if one failed. */
export async function finishedJobs(access, jobIds) {
  const wanted = new Set(jobIds);
  for (;;) {
    const listed = (await call(access, 'GET', 'activity?limit=1000')).filter(({ jobId }) => wanted.has(jobId));
    const failed = listed.find(({ status }) => status === 'failed');
    if (failed) throw new Error(`A job failed: ${failed.message}`);
    if (listed.length === wanted.size && listed.every(({ status }) => status === 'successful')) return listed;
    await delay(LOOK_EVERY_MS);
  }
}
