import { countFiles } from './format.js';

/**
 * What is said of files that were chosen: at once, and as long as it matters.
 * @typedef {{ text: string, lasting: string }} Remark
 */

/**
 * @param {{ added: number, known: number, refused: number }} counts
 * @returns {Remark}
 */
export function remarkOnNew({ added, known, refused }) {
  const lasting = [
    ...(known > 0 ? [`${countFiles(known)} you had chosen already.`] : []),
    ...(refused > 0 ? [`${countFiles(refused)} will not be sent, see below.`] : []),
  ];
  return { text: `${countFiles(added)} added.`, lasting: lasting.join(' ') };
}

/**
 * Of an upload that is gone on with.
 * @param {ReturnType<import('./earlier-upload.js').EarlierUpload['take']>} taken
 * @returns {Remark}
 */
export function remarkOnFound({ found, changed, others }) {
  const names = changed.map(({ path }) => path).join(', ');
  const lasting = [
    ...(changed.length > 0 ? [`Changed since, so it is sent from the beginning: ${names}.`] : []),
    ...(others.length > 0 ? [`${countFiles(others.length)} new to this upload will be sent too.`] : []),
  ];
  return { text: `${countFiles(found)} found again.`, lasting: lasting.join(' ') };
}
