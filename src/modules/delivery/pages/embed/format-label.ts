import type { OpenedFormat } from '../../gate/delivery-gate.js';

/** What a viewer chooses a format by: its shorter side (`720p`, landscape or portrait), and its name where that is not known or not enough. */
export function formatLabel(opened: OpenedFormat, among: readonly OpenedFormat[]): string {
  const label = shortLabel(opened);
  const isAlone = among.filter((other) => shortLabel(other) === label).length <= 1;
  return isAlone || label === opened.format.name ? label : `${label} (${opened.format.name})`;
}

const shortLabel = ({ format, item }: OpenedFormat): string => {
  if (format.usage === 'preview') return 'Preview';
  return item.height === null ? format.name : `${Math.min(item.height, item.width ?? item.height)}p`;
};
