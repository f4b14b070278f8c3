import { ProblemError } from '@media-delivery/sdk/uploader';
import { byId, moveFocus, show, write } from './dom.js';

/** A problem in words for people; `field`: the form field that is concerned. */
export interface Explanation {
  readonly title: string;
  readonly text: string;
  readonly field: 'password' | 'email' | null;
}

/** Explains why the upload stopped. */
export function explainProblem(error: Error): Explanation {
  if (!(error instanceof ProblemError)) return { title: 'The upload failed', text: error.message, field: null };
  switch (error.code) {
    case 'network_error':
      return { title: 'No connection', text: 'The service cannot be reached.', field: null };
    case 'password_required':
      return {
        title: 'Password required',
        text: 'Enter the password of this dropsite. The person who sent you the link knows it.',
        field: 'password',
      };
    case 'password_wrong':
      return { title: 'Wrong password', text: 'Check it and try again. Nothing has been uploaded yet.', field: 'password' };
    case 'login_delayed':
      return { title: 'Too many wrong passwords', text: `Try again in ${error.retryAfter ?? 60} seconds.`, field: 'password' };
    case 'session_required':
      return {
        title: 'E-mail address required',
        text: 'This dropsite accepts files only from senders with an e-mail address.',
        field: 'email',
      };
    case 'dropsite_limit_reached':
      return {
        title: 'This dropsite is full for today',
        text: `It has a daily limit. Send fewer files, or try again ${nextTime(error.retryAfter)}.`,
        field: null,
      };
    case 'dropsite_expired':
      return {
        title: 'This dropsite accepts no more uploads',
        text: 'It has expired or was closed. Ask the person who sent you the link for another one.',
        field: null,
      };
    case 'not_found':
      return {
        title: 'This dropsite no longer exists',
        text: 'It was removed. Ask the person who sent you the link for another one.',
        field: null,
      };
    default:
      return { title: 'The upload failed', text: error.message, field: null };
  }
}

function nextTime(seconds: number | null): string {
  if (seconds === null) return 'tomorrow';
  const time = new Date(Date.now() + seconds * 1_000);
  return `after ${time.toLocaleString('en-GB', { weekday: 'long', hour: '2-digit', minute: '2-digit' })}`;
}

/** Shows a problem beside the form field that is concerned, or at the top of the page. */
export class ProblemView {
  #root = byId('upload', HTMLElement);
  #trouble = byId('trouble', HTMLElement);

  show({ title, text, field }: Explanation): void {
    this.clear();
    const input = field && document.getElementById(field);
    if (field && input instanceof HTMLInputElement) {
      const problem = byId(`${field}-problem`, HTMLElement);
      write(problem, `${title}. ${text}`);
      show(problem, true);
      input.setAttribute('aria-invalid', 'true');
      input.setAttribute('aria-describedby', problem.id);
      moveFocus(input);
    } else {
      write(byId('trouble-title', HTMLElement), title);
      write(byId('trouble-text', HTMLElement), text);
      show(this.#trouble, true);
      moveFocus(this.#trouble);
    }
  }

  clear(): void {
    show(this.#trouble, false);
    for (const problem of this.#root.querySelectorAll<HTMLElement>('.field-problem')) show(problem, false);
    for (const input of this.#root.querySelectorAll('[aria-invalid]')) {
      input.removeAttribute('aria-invalid');
      input.removeAttribute('aria-describedby');
    }
  }
}
