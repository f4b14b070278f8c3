import { ProblemError } from '@media-delivery/sdk/uploader';
import { dropsite } from './dropsite.js';
import { explainProblem } from './explain-problem.js';
import { countFiles, formatBytes } from './format.js';

/** @typedef {import('./explain-problem.js').Explanation} Explanation */

/**
 * The problem that prevents the upload from starting; null: it can start.
 * `isResumed`: an earlier upload is continued.
 * @param {{ choice: import('./choice.js').Choice, form: import('./sender-form.js').SenderForm, isResumed: boolean,
 *   sender: import('./service-client.js').Sender | null }} upload
 * @returns {Explanation | null}
 */
export function whyNotYet({ choice: { good, totalSize }, form, isResumed, sender }) {
  if (!isResumed && good.length === 0) return { title: 'No files yet', text: 'Choose the files that you want to send.', field: null };
  if (!dropsite.allowAnonymous && !sender?.email) return refusal('session_required');
  if (!isResumed && !form.isEmailGood) {
    return { title: 'Check your e-mail address', text: 'It should look like name@example.org.', field: 'email' };
  }
  if (dropsite.requiresPassword && !form.password) return refusal('password_required');
  if (good.length > dropsite.maxItems) return tooMuch(countFiles(dropsite.maxItems), String(good.length));
  if (totalSize > dropsite.maxBytes) return tooMuch(formatBytes(dropsite.maxBytes), formatBytes(totalSize));
  return null;
}

/** The explanation of a refusal by the service. @param {string} code */
const refusal = (code) => explainProblem(new ProblemError({ status: 401, code, detail: '' }));

/**
 * @param {string} limit
 * @param {string} chosen
 * @returns {Explanation}
 */
const tooMuch = (limit, chosen) => ({
  title: 'Too much for this dropsite',
  text: `It accepts at most ${limit} per day, and you chose ${chosen}. Remove some of them.`,
  field: null,
});
