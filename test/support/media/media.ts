import { PutObjectCommand } from '@aws-sdk/client-s3';
import type { TestApp } from '../app/test-app.js';
import { aFile, call, clientFor, type UploadDocument } from './uploads.js';

/** A file that was uploaded and reported: its container, its item, where its object is. */
export interface UploadedMedia {
  readonly id: number;
  readonly mediaId: number;
  readonly s3Key: string;
}

/** Uploads one file as clients do. The app needs a storage that answers (startTestStorage). */
export async function uploadMedia(
  { url }: Pick<TestApp, 'url'>,
  token: string,
  { content = 'hello world', ...fields }: { content?: string | Uint8Array; [field: string]: unknown } = {},
): Promise<UploadedMedia> {
  const payload = [aFile({ fileSize: content.length, ...fields })];
  const { body } = await call<UploadDocument>(`${url}/v5/s3/createUpload`, { token, body: { payload } });
  const [item] = body.processed;
  if (!item) throw new Error(`Nothing was prepared: ${JSON.stringify(body)}`);
  const { bucket, s3Key } = item;
  const client = clientFor(item);
  await client.send(new PutObjectCommand({ Bucket: bucket, Key: s3Key, Body: content })).finally(() => client.destroy());
  const success = await call(`${url}/v5/s3/success`, { token, body: { bucket, key: s3Key } });
  if (success.status !== 200) throw new Error(`The upload was not reported: ${JSON.stringify(success.body)}`);
  return { id: item.id, mediaId: item.mediaId, s3Key };
}

/** The header of a picture; nothing reads more of it. */
export function aPng(width: number, height: number): Buffer {
  const size = Buffer.alloc(8);
  size.writeUInt32BE(width, 0);
  size.writeUInt32BE(height, 4);
  return Buffer.concat([Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'), size, Buffer.alloc(64)]);
}
