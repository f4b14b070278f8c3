import {
  ListMultipartUploadsCommand,
  type ListMultipartUploadsCommandOutput,
  ListObjectVersionsCommand,
  type ListObjectVersionsCommandOutput,
  type S3Client,
} from '@aws-sdk/client-s3';
import type { ObjectVersion, OpenMultipartUpload } from './object-storage.port.js';

/** The open multipart uploads under a prefix, page by page; the SDK has no paginator for them. */
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

/** The versions and delete markers under a prefix, in the order of their keys, page by page; the SDK has no paginator for them. */
export async function* listObjectVersions(client: S3Client, bucket: string, prefix: string): AsyncGenerator<ObjectVersion, void> {
  let position: { KeyMarker?: string; VersionIdMarker?: string } | null = {};
  while (position) {
    const page: ListObjectVersionsCommandOutput = await client.send(
      new ListObjectVersionsCommand({ Bucket: bucket, Prefix: prefix, ...position }),
    );
    const found = [...(page.Versions ?? []), ...(page.DeleteMarkers ?? [])].map(({ Key: key = '', VersionId: versionId = 'null' }) => ({
      key,
      versionId,
    }));
    yield* found.sort((one, other) => Buffer.compare(Buffer.from(one.key), Buffer.from(other.key)));
    position = page.IsTruncated ? { KeyMarker: page.NextKeyMarker, VersionIdMarker: page.NextVersionIdMarker } : null;
  }
}
