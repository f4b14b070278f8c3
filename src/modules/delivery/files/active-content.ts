import type { Format } from '../../formats/index.js';
import { mayRunScripts } from '../../media/index.js';
import type { OpenedFormat } from '../gate/delivery-gate.service.js';

/** The files of these converters have the same bytes as the upload. */
const UNCHANGED = new Set<Format['converter']>(['original', 'copy']);

/** Whether a file as it was uploaded may contain scripts, so that browsers must download it instead of showing it. */
export const hasActiveContent = ({ format, item }: Pick<OpenedFormat, 'format' | 'item'>): boolean =>
  UNCHANGED.has(format.converter) && mayRunScripts(item);
