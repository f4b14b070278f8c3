import type { ItemProblem } from '../batches/batch-item.js';
import type { CheckedItem } from './check-item.js';

/** Items that are like an earlier one of the same request: by name, extension and size, or by checksum. */
export function findRepeated(items: readonly CheckedItem[]): ItemProblem[] {
  const seen = new Map<string, number>();
  const repeated: ItemProblem[] = [];
  for (const item of items) {
    const likenesses = likenessesOf(item);
    const earlier = likenesses.map((likeness) => seen.get(likeness)).find((index) => index !== undefined);
    if (earlier !== undefined) repeated.push({ ...duplicate(item.index, `item ${earlier} of this request`), duplicateOfIndex: earlier });
    for (const likeness of likenesses) if (!seen.has(likeness)) seen.set(likeness, item.index);
  }
  return repeated;
}

/** What to say of an item whose like is there already. */
export const existing = (index: number, mediaContainerId: number): ItemProblem => ({
  ...duplicate(index, `media container ${mediaContainerId}`),
  mediaContainerId,
});

const likenessesOf = ({ fileName, fileExtension, fileSize, checksum }: CheckedItem): string[] => [
  JSON.stringify(['name', fileName, fileExtension, fileSize]),
  ...(checksum === null ? [] : [JSON.stringify(['checksum', checksum])]),
];

const duplicate = (index: number, what: string): ItemProblem => ({
  index,
  code: 'duplicate',
  message: `The same file is there already: ${what}. Upload it anyway, or leave it out.`,
});
