import type { Format } from '../../formats/index.js';
import type { OpenedFormat } from '../gate/delivery-gate.service.js';

/** Extensions of files that browsers show with their scripts, as documents of the origin that sends them. */
const ACTIVE = new Set(['svg', 'svgz', 'html', 'htm', 'shtml', 'xhtml', 'xht', 'xml', 'xsl', 'xslt', 'mht', 'mhtml']);
/** The files of these converters have the same bytes as the upload. */
const UNCHANGED = new Set<Format['converter']>(['original', 'copy']);

/**
 * Whether an uploaded file may contain scripts, so that browsers must download it instead of showing it. A PDF counts as such until its inspection
 * has found no scripts.
 */
export function hasActiveContent({ format, item }: Pick<OpenedFormat, 'format' | 'item'>): boolean {
  if (!UNCHANGED.has(format.converter)) return false;
  const extension = item.fileExtension.toLowerCase();
  return extension === 'pdf' ? item.scripted !== false : ACTIVE.has(extension);
}
