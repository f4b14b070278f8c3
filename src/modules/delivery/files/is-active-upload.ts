import type { Format } from '../../formats/index.js';
import type { DeliverableItem } from '../../media/index.js';

/** What browsers show as a document of the origin it comes from, with its scripts. */
const ACTIVE = new Set(['svg', 'svgz', 'html', 'htm', 'shtml', 'xhtml', 'xht', 'xml', 'xsl', 'xslt', 'mht', 'mhtml']);
/** Of these a rendition has the bytes that were uploaded. */
const UNCHANGED = new Set<Format['converter']>(['original', 'copy']);

/** Whether a file is the work of an uploader and may carry scripts, so that browsers are to save it and not to show it. */
export function isActiveUpload({
  format,
  item,
}: {
  readonly format: Pick<Format, 'converter'>;
  readonly item: Pick<DeliverableItem, 'fileExtension'>;
}): boolean {
  if (!UNCHANGED.has(format.converter)) return false;
  return ACTIVE.has(item.fileExtension.toLowerCase());
}
