import type { Format } from '../../formats/index.js';
import type { DeliveryRequest, OpenedFormat } from '../gate/delivery-gate.service.js';

/**
 * The file to deliver: of the requested format, or of the first format of the configuration that players use and, for a download, that may be
 * downloaded. Null: there is no such file yet.
 */
export function chooseFormat(
  formats: readonly OpenedFormat[],
  { formatId, download }: Pick<DeliveryRequest, 'formatId' | 'download'>,
): OpenedFormat | null {
  if (formatId !== undefined) return formats.find(({ format }) => format.id === formatId) ?? null;
  return formats.find(({ format, downloadable }) => isUsedInPlayer(format) && (!download || downloadable)) ?? null;
}

/** Whether players and pages use the format without being asked to. */
export const isUsedInPlayer = ({ settings, configuration }: Pick<Format, 'settings' | 'configuration'>): boolean =>
  (settings.useInPlayer ?? configuration?.useInPlayer) !== false;

/** Whether viewers may get files of the format; in test mode it only tries out settings. */
export const isForDelivery = ({ settings }: Pick<Format, 'settings'>): boolean => !settings.testMode;

/** The formats that players use, in the order of the configuration. */
export const playerFormats = ({ formats }: { readonly formats: readonly OpenedFormat[] }): readonly OpenedFormat[] =>
  formats.filter(({ format }) => isUsedInPlayer(format));
