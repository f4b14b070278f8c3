import type { MediaItem } from './media-item.entity.js';

/** Extensions of files that browsers show with their scripts, as documents of the origin that sends them. */
const ACTIVE = new Set(['svg', 'svgz', 'html', 'htm', 'shtml', 'xhtml', 'xht', 'xml', 'xsl', 'xslt', 'mht', 'mhtml']);

/**
 * Whether browsers may run scripts of the file if it is shown with the media type of its extension. A PDF counts as such until its inspection has
 * found no scripts.
 */
export function mayRunScripts({ fileExtension, scripted }: Pick<MediaItem, 'fileExtension' | 'scripted'>): boolean {
  const extension = fileExtension.toLowerCase();
  return extension === 'pdf' ? scripted !== false : ACTIVE.has(extension);
}
