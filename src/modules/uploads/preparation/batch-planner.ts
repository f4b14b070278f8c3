import { Injectable } from '@nestjs/common';
import { ObjectStorage } from '../../../shared/storage/index.js';
import { OriginalFormats } from '../../formats/index.js';
import { DuplicateFinder, MediaIntake, type PlannedOriginal } from '../../media/index.js';
import type { BatchItem, ItemProblem } from '../batches/batch-item.js';
import type { BatchOwner } from '../batches/upload-batches.repository.js';
import type { CheckedPayload } from './check-payload.js';
import { existing } from './find-duplicates.js';

/** All that will be stored of a batch, before anything is. */
export interface BatchPlan {
  readonly originals: readonly PlannedOriginal[];
  readonly items: BatchItem[];
  readonly problems: ItemProblem[];
}

/** Says what a checked payload will become: media with their ids, items of the batch, and what there is to tell of them. */
@Injectable()
export class BatchPlanner {
  constructor(
    private readonly media: MediaIntake,
    private readonly duplicates: DuplicateFinder,
    private readonly formats: OriginalFormats,
    private readonly storage: ObjectStorage,
  ) {}

  async plan(checked: CheckedPayload, owner: BatchOwner): Promise<BatchPlan> {
    const [originals, duplicates] = await Promise.all([this.planOriginals(checked, owner), this.findExisting(checked, owner)]);
    const items = originals.map(({ mediaContainerId, mediaId, s3Key: key, type, fileSize: size }, position) => {
      const index = checked.items[position]?.index ?? position;
      return { index, mediaContainerId, mediaId, key, type, size };
    });
    return { originals, items, problems: [...checked.problems, ...duplicates].sort((a, b) => a.index - b.index) };
  }

  private async planOriginals({ items, uploads }: CheckedPayload, { customerId, creatorId, dropsiteId }: BatchOwner) {
    const formatIds = await this.formats.ids();
    const files = items.map((item, position) => ({ ...item, formatId: formatIds[item.type], s3Key: uploads[position]?.key ?? '' }));
    return await this.media.plan(files, { customerId, creatorId, origin: dropsiteId, bucket: this.storage.location.bucket });
  }

  /** A stranger with a link must not learn what is there already, so at a dropsite only the request itself is looked through. */
  private async findExisting({ items, problems }: CheckedPayload, { customerId, dropsiteId }: BatchOwner): Promise<ItemProblem[]> {
    if (dropsiteId !== null) return [];
    const repeated = new Set(problems.map(({ index }) => index));
    const candidates = items.filter(({ index }) => !repeated.has(index));
    return [...(await this.duplicates.find(customerId, candidates))].map(([index, mediaContainerId]) => existing(index, mediaContainerId));
  }
}
