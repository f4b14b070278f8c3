import type { OpenedFormat } from '../../gate/delivery-gate.js';

/** What a viewer chooses a format by: its height (`720p`), and its name where that is not known or not enough. */
export function formatLabel(opened: OpenedFormat, among: readonly OpenedFormat[]): string {
  const { format, item } = opened;
  if (item.height === null) return format.name;
  const isAlone = among.filter((other) => other.item.height === item.height).length <= 1;
  return isAlone ? `${item.height}p` : `${item.height}p (${format.name})`;
}
