import type { ItemProblem } from '../batches/batch-item.js';
import { type UploadKeyParts, uploadKey } from '../batches/upload-key.js';
import type { UploadItem } from '../credentials/group-items.js';
import { type CheckedItem, checkItem, isProblem } from './check-item.js';
import { findRepeated } from './find-duplicates.js';

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

/** What of a payload can be uploaded, under which keys, and what cannot. An item after the other (`inTurns`). */
export function* checkPayload(
  payload: readonly unknown[],
  batch: UploadKeyParts,
  refuse: ItemRule = () => null,
): Generator<void, CheckedPayload> {
  const items: CheckedItem[] = [];
  const problems: ItemProblem[] = [];
  const refused: ItemProblem[] = [];
  for (const [index, sent] of payload.entries()) {
    const checked = checkItem(sent, index);
    const refusal = isProblem(checked) ? null : refuse(checked);
    if (isProblem(checked)) problems.push({ index, ...checked });
    else if (refusal) refused.push({ index, ...refusal });
    else items.push(checked);
    yield;
  }
  const uploads = items.map(({ index, type, fileSize, fileExtension }) => ({
    key: uploadKey(batch, index, fileExtension),
    type,
    size: fileSize,
  }));
  return { items, problems: [...problems, ...refused, ...findRepeated(items)], refused, uploads };
}
