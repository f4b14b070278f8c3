import { ProblemError } from '@media-delivery/sdk/uploader';
import type { Choice } from './choice.js';
import { byId } from './dom.js';
import { countFiles, formatBytes } from './format.js';
import { type Explanation, explainProblem } from './problems.js';
import type { Sender } from './service-client.js';

const { dataset } = byId('upload', HTMLElement);

/** The data of the dropsite that the template provides. */
export const dropsite = {
  link: dataset.link ?? '',
  name: dataset.name ?? '',
  allowAnonymous: dataset.allowAnonymous === 'true',
  requiresPassword: dataset.requiresPassword === 'true',
  allowedTypes: (dataset.allowedTypes ?? '').split(' ').filter(Boolean),
  maxItems: Number(dataset.maxItems || Number.POSITIVE_INFINITY),
  maxBytes: Number(dataset.maxBytes || Number.POSITIVE_INFINITY),
};

/** The values of the form. */
export interface Entered {
  readonly password: string;
  /** Null: nothing was entered. */
  readonly sender: Sender | null;
  readonly isEmailGood: boolean;
}

/** Reads the form; values are trimmed except for the password. A dropsite without a password has no field for it. */
export function readForm(): Entered {
  const sender = { email: textOf('email'), firstname: textOf('firstname'), lastname: textOf('lastname') };
  return {
    password: fieldOf('password')?.value ?? '',
    sender: Object.values(sender).some(Boolean) ? sender : null,
    isEmailGood: fieldOf('email')?.checkValidity() ?? true,
  };
}

function fieldOf(id: string): HTMLInputElement | null {
  const input = document.getElementById(id);
  return input instanceof HTMLInputElement ? input : null;
}

const textOf = (id: string): string => fieldOf(id)?.value.trim() ?? '';

/**
 * The problem that prevents the upload from starting; null: it can start. `sender` differs from the entered one if an earlier upload is
 * continued (`isResumed`).
 */
export function whyNotYet(upload: { choice: Choice; entered: Entered; isResumed: boolean; sender: Sender | null }): Explanation | null {
  const { choice, entered, isResumed, sender } = upload;
  const { good, totalSize } = choice;
  if (!isResumed && good.length === 0) return { title: 'No files yet', text: 'Choose the files that you want to send.', field: null };
  if (!dropsite.allowAnonymous && !sender?.email) return refusal('session_required');
  if (!isResumed && !entered.isEmailGood) {
    return { title: 'Check your e-mail address', text: 'It should look like name@example.org.', field: 'email' };
  }
  if (dropsite.requiresPassword && !entered.password) return refusal('password_required');
  if (good.length > dropsite.maxItems) return tooMuch(countFiles(dropsite.maxItems), String(good.length));
  if (totalSize > dropsite.maxBytes) return tooMuch(formatBytes(dropsite.maxBytes), formatBytes(totalSize));
  return null;
}

/** The explanation of a refusal by the service. */
const refusal = (code: string): Explanation => explainProblem(new ProblemError({ status: 401, code, detail: '' }));

const tooMuch = (limit: string, chosen: string): Explanation => ({
  title: 'Too much for this dropsite',
  text: `It accepts at most ${limit} per day, and you chose ${chosen}. Remove some of them.`,
  field: null,
});
