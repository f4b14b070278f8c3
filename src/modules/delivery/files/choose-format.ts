import type { Format } from '../../formats/index.js';
import type { DeliveryRequest, OpenedFormat } from '../gate/delivery-gate.service.js';

/**
 * The file that is delivered: of the format that was named; else of the first of the configuration that may be chosen by itself, and for a
 * download may be downloaded. Null: there is none yet.
 */
export function chooseFormat(
  formats: readonly OpenedFormat[],
  { formatId, download }: Pick<DeliveryRequest, 'formatId' | 'download'>,
): OpenedFormat | null {
  if (formatId !== undefined) return formats.find(({ format }) => format.id === formatId) ?? null;
  return formats.find(({ format, downloadable }) => isUsedInPlayer(format) && (!download || downloadable)) ?? null;
}

/** Whether players and pages may choose a format by themselves. */
export const isUsedInPlayer = ({ settings, configuration }: Pick<Format, 'settings' | 'configuration'>): boolean =>
  (settings.useInPlayer ?? configuration?.useInPlayer) !== false;

/** Whether what a format makes is for others at all: what is made to try out settings is delivered to nobody. */
export const isForDelivery = ({ settings }: Pick<Format, 'settings'>): boolean => !settings.testMode;

/** Those that players may choose, in the order of the configuration. */
export const playerFormats = ({ formats }: { readonly formats: readonly OpenedFormat[] }): readonly OpenedFormat[] =>
  formats.filter(({ format }) => isUsedInPlayer(format));
