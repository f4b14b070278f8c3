import { isMissing } from './earlier-upload.js';
import { deliveryStatus } from './file-list.js';

/**
 * The status of a file that the list shows before the upload.
 * @param {import('@media-delivery/sdk/uploader').UploadFile} file
 * @param {import('./earlier-upload.js').EarlierUpload | null} earlier
 */
export function choiceStatus(file, earlier) {
  if (!earlier?.files.includes(file)) {
    if (file.state === 'refused') return { text: `Will not be sent. ${file.problem}`, tone: /** @type {const} */ ('bad'), percent: null };
    return { text: earlier ? 'New' : '', tone: /** @type {const} */ ('calm'), percent: null };
  }
  if (file.state === 'left-out') return { text: file.problem || 'Left out', tone: /** @type {const} */ ('calm'), percent: null };
  if (!file.isOpen) return deliveryStatus(file);
  if (isMissing(file)) return { text: 'Choose it again', tone: /** @type {const} */ ('calm'), percent: null };
  return { text: 'Found', tone: /** @type {const} */ ('good'), percent: null };
}
