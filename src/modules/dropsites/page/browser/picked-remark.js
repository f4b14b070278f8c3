import { countFiles } from './format.js';

/**
 * Texts about chosen files: one to announce, and one to show.
 * @typedef {{ text: string, lasting: string }} Remark
 */

/**
 * @param {{ added: number, known: number, refused: number }} counts
 * @returns {Remark}
 */
export function remarkOnNew({ added, known, refused }) {
  const lasting = [
    ...(known > 0 ? [`${countFiles(known)} already chosen.`] : []),
    ...(refused > 0 ? [`${countFiles(refused)} will not be sent, see below.`] : []),
  ];
  return { text: `${countFiles(added)} added.`, lasting: lasting.join(' ') };
}

/**
 * For files that were chosen again for an earlier upload.
 * @param {ReturnType<import('./earlier-upload.js').EarlierUpload['take']>} taken
 * @returns {Remark}
 */
export function remarkOnFound({ found, changed, others }) {
  const names = changed.map(({ path }) => path).join(', ');
  const lasting = [
    ...(changed.length > 0 ? [`Changed files, which are sent from the beginning: ${names}.`] : []),
    ...(others.length > 0 ? [`${countFiles(others.length)} not in the earlier upload will also be sent.`] : []),
  ];
  return { text: `${countFiles(found)} found again.`, lasting: lasting.join(' ') };
}
