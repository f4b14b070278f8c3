import { ListMultipartUploadsCommand, type ListMultipartUploadsCommandOutput, type S3Client } from '@aws-sdk/client-s3';
import type { OpenMultipartUpload } from './object-storage.js';

/** The open multipart uploads under a prefix, page by page: the SDK has no paginator for them. */
export async function* listMultipartUploads(client: S3Client, bucket: string, prefix: string): AsyncGenerator<OpenMultipartUpload, void> {
  let position: { KeyMarker?: string; UploadIdMarker?: string } | null = {};
  while (position) {
    const page: ListMultipartUploadsCommandOutput = await client.send(
      new ListMultipartUploadsCommand({ Bucket: bucket, Prefix: prefix, ...position }),
    );
    for (const { Key: key = '', UploadId: multipartId = '', Initiated: initiatedAt = new Date() } of page.Uploads ?? []) {
      yield { key, multipartId, initiatedAt };
    }
    position = page.IsTruncated ? { KeyMarker: page.NextKeyMarker, UploadIdMarker: page.NextUploadIdMarker } : null;
  }
}
