import { Injectable } from '@nestjs/common';
import { ObjectStorage } from '../../../shared/storage/index.js';
import { MediaIntake } from '../../media/index.js';
import type { BatchItem, ItemProblem } from '../batches/batch-item.js';
import { type BatchOwner, UploadBatchesRepository } from '../batches/upload-batches.repository.js';
import { type UploadKeyParts, uploadKey } from '../batches/upload-key.js';
import type { UploadItem } from '../credentials/group-items.js';
import { type CheckedItem, checkItem, isProblem } from './check-item.js';
import { existing, findRepeated } from './find-duplicates.js';

/** A payload of which every item was looked at. */
export interface CheckedPayload {
  readonly items: readonly CheckedItem[];
  readonly problems: readonly ItemProblem[];
  /** Those of the problems for which the caller's own rule left items out. */
  readonly refused: readonly ItemProblem[];
  /** The items with their keys, in the same order. */
  readonly uploads: readonly UploadItem[];
}

/** What somebody has against an item that is right in itself; null: nothing. */
export type ItemRule = (item: CheckedItem) => Pick<ItemProblem, 'code' | 'message'> | null;

/** What of a payload can be uploaded, under which keys, and what cannot. */
export function checkPayload(payload: readonly unknown[], batch: UploadKeyParts, refuse: ItemRule = () => null): CheckedPayload {
  const items: CheckedItem[] = [];
  const problems: ItemProblem[] = [];
  const refused: ItemProblem[] = [];
  for (const [index, sent] of payload.entries()) {
    const checked = checkItem(sent, index);
    const refusal = isProblem(checked) ? null : refuse(checked);
    if (isProblem(checked)) problems.push({ index, ...checked });
    else if (refusal) refused.push({ index, ...refusal });
    else items.push(checked);
  }
  const uploads = items.map(({ index, type, fileSize, fileExtension }) => ({
    key: uploadKey(batch, index, fileExtension),
    type,
    size: fileSize,
  }));
  return { items, problems: [...problems, ...refused, ...findRepeated(items)], refused, uploads };
}

/** Makes media containers and originals of a checked payload and writes them into their batch. */
@Injectable()
export class BatchFiller {
  constructor(
    private readonly media: MediaIntake,
    private readonly batches: UploadBatchesRepository,
    private readonly storage: ObjectStorage,
  ) {}

  /** In the ambient transaction. Throws when the batch is not being prepared any more. */
  async fill(
    batchId: number,
    { owner, checked, expiresAt }: { owner: BatchOwner; checked: CheckedPayload; expiresAt: Date },
  ): Promise<{ items: BatchItem[]; problems: ItemProblem[] }> {
    const problems = [...checked.problems, ...(await this.findExisting(checked, owner))].sort((a, b) => a.index - b.index);
    const items = checked.items.length > 0 ? await this.makeMedia(checked, owner) : [];
    if (!(await this.batches.fill(batchId, { items, problems, expiresAt }))) throw new Error(`The batch ${batchId} is prepared already.`);
    return { items, problems };
  }

  private async makeMedia({ items, uploads }: CheckedPayload, { customerId, creatorId, dropsiteId }: BatchOwner): Promise<BatchItem[]> {
    const files = items.map(({ fileName, ...item }, position) => ({ ...item, fileName, s3Key: uploads[position]?.key ?? '' }));
    const owner = { customerId, creatorId, origin: dropsiteId, bucket: this.storage.location.bucket };
    const made = new Map((await this.media.prepare(files, owner)).map((original) => [original.s3Key, original]));
    return files.map(({ index, type, fileSize: size, s3Key: key }) => {
      const original = made.get(key);
      if (!original) throw new Error(`No media item was made for ${key}.`);
      return { index, mediaContainerId: original.mediaContainerId, mediaId: original.mediaId, key, type, size };
    });
  }

  private async findExisting(
    { items, problems }: CheckedPayload,
    { customerId, creatorId, dropsiteId }: BatchOwner,
  ): Promise<ItemProblem[]> {
    const repeated = new Set(problems.map(({ index }) => index));
    const candidates = items.filter(({ index }) => !repeated.has(index));
    const found = await this.media.findDuplicates(candidates, { customerId, creatorId, origin: dropsiteId });
    return [...found].map(([index, mediaContainerId]) => existing(index, mediaContainerId));
  }
}
