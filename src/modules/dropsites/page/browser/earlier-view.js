import { byId, show, write } from './dom.js';
import { countFiles, formatBytes } from './format.js';

/** Shows an incomplete upload of an earlier visit. */
export class EarlierView {
  #part = byId('earlier', HTMLElement);

  /**
   * Returns the label of the button that continues the upload, and whether it is enabled.
   * @param {import('./earlier-upload.js').EarlierUpload} earlier
   * @param {number} added files that are new to it
   */
  render({ files, missing, startedAt }, added) {
    show(this.#part, true);
    const open = files.filter(({ isOpen }) => isOpen);
    const arrived = files.filter(({ state }) => state === 'delivered').length;
    const size = formatBytes(open.reduce((sum, { size: bytes }) => sum + bytes, 0));
    const when = new Date(startedAt).toLocaleString('en-GB', { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' });
    write(
      byId('earlier-text', HTMLElement),
      earlierText({ when, size, files: files.length, arrived, open: open.length, missing: missing.length }),
    );
    const has = open.length - missing.length + added;
    return { label: resumeLabel({ open: open.length, missing: missing.length, has }), isReady: has > 0 || open.length === 0 };
  }

  hide() {
    show(this.#part, false);
  }
}

/** @param {{ when: string, size: string, files: number, arrived: number, open: number, missing: number }} upload */
function earlierText({ when, size, files, arrived, open, missing }) {
  if (open === 0) return `On ${when} you sent ${countFiles(files)}, and all have arrived. You only have to finish the upload.`;
  const sofar = arrived === 0 ? '' : ` ${arrived.toLocaleString('en')} of them arrived.`;
  const begun = `On ${when} you started to send ${countFiles(files)}, but the upload was not completed.${sofar} ${size} still has to be sent.`;
  if (missing === 0) return `${begun} All files are available again.`;
  return `${begun} Choose the same files again to continue where the upload stopped.`;
}

/** @param {{ open: number, missing: number, has: number }} counts */
function resumeLabel({ open, missing, has }) {
  if (open === 0 && has === 0) return 'Finish the upload';
  if (has === 0) return 'Choose the files first';
  return missing === 0 ? 'Resume the upload' : `Continue without ${countFiles(missing)}`;
}
