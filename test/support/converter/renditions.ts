import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { type StoryboardFacts, type StreamingFacts, StreamingIndex } from '../../../src/modules/media/index.js';
import { Database } from '../../../src/shared/database/index.js';
import type { TestApp } from '../app/test-app.js';

/** A file of a container as the converter would have made it. */
export interface NewRendition {
  readonly containerId: number;
  readonly formatId: number | null;
  readonly fileName: string;
  readonly fileExtension: string;
  readonly content: string | Uint8Array;
  /** Of the object. */
  readonly contentType?: string;
  readonly type?: string;
  readonly width?: number;
  readonly height?: number;
  /** Seconds. */
  readonly duration?: number;
  readonly codec?: string;
  readonly storyboard?: StoryboardFacts;
  /** Of a streaming rendition. */
  readonly streaming?: { readonly facts: StreamingFacts; readonly index: Omit<StreamingIndex, 'mediaItemId'> };
  /** Of one of several sounds. */
  readonly track?: { readonly language: string | null; readonly label: string; readonly isDefault: boolean };
}

const INSERT_ITEM = `INSERT INTO media_items
    (media_container_id, customer_id, format_id, type, file_name, file_extension, file_size, status, width, height, duration, codec, bucket,
    storyboard, streaming, language, label, is_default, s3_key)
  SELECT id, customer_id, $2, $3, $4, $5, $6, 'successful', $7, $8, $9, $10, $11, $12, $13::jsonb, $14, $15, $16, 'renditions/' || id || '/' || gen_random_uuid()
    FROM media_containers WHERE id = $1 RETURNING id, s3_key AS key`;

/** Puts a file into a container, without a converter; answers the id of its item. */
export async function addRendition({ app, config }: TestApp, rendition: NewRendition): Promise<number> {
  const { containerId, formatId, fileName, fileExtension, content, type = 'video' } = rendition;
  const {
    contentType: ContentType,
    width = null,
    height = null,
    duration = null,
    codec = null,
    storyboard = null,
    streaming,
    track,
  } = rendition;
  const { s3Bucket: Bucket, s3Endpoint: endpoint, awsRegion: region, storageKey } = config;
  const described = [
    containerId,
    formatId,
    type,
    fileName,
    fileExtension,
    content.length,
    width,
    height,
    duration,
    codec,
    Bucket,
    storyboard,
    streaming && JSON.stringify(streaming.facts),
    ...[track?.language ?? null, track?.label ?? null, track?.isDefault ?? false],
  ];
  const item = await app.get(Database).queryOne<{ id: number; key: string }>(INSERT_ITEM, described);
  if (!item) throw new Error(`There is no container ${containerId}.`);
  if (streaming)
    await app
      .get(Database)
      .repository(StreamingIndex)
      .insert({ mediaItemId: item.id, ...streaming.index });
  const client = new S3Client({ endpoint, region, forcePathStyle: true, ...(storageKey && { credentials: storageKey }) });
  await client.send(new PutObjectCommand({ Bucket, Key: item.key, Body: content, ContentType })).finally(() => client.destroy());
  return item.id;
}
