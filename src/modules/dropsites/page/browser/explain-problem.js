import { NetworkError, ServiceProblem } from './errors.js';

/** @typedef {{ title: string, text: string, field: 'password' | 'email' | null }} Explanation */

/**
 * What stopped the upload, in words for whoever sits there, and the field that it is about.
 * @param {Error} error
 * @returns {Explanation}
 */
export function explainProblem(error) {
  if (error instanceof NetworkError) return { title: 'No connection', text: 'The service cannot be reached.', field: null };
  if (!(error instanceof ServiceProblem)) return { title: 'That did not work', text: error.message, field: null };
  switch (error.code) {
    case 'password_required':
      return {
        title: 'A password is needed',
        text: 'Type the password of this dropsite. Whoever sent you the link knows it.',
        field: 'password',
      };
    case 'password_wrong':
      return { title: 'That is not the password', text: 'Check it and try again. Nothing was uploaded yet.', field: 'password' };
    case 'login_delayed':
      return { title: 'Too many wrong passwords', text: `Try again in ${error.retryAfter ?? 60} seconds.`, field: 'password' };
    case 'session_required':
      return { title: 'Your e-mail address is needed', text: 'This dropsite wants to know who sends something.', field: 'email' };
    case 'dropsite_limit_reached':
      return {
        title: 'This dropsite is full for today',
        text: `It takes no more than a certain amount a day. Send fewer files, or try again ${nextTime(error.retryAfter)}.`,
        field: null,
      };
    case 'dropsite_expired':
      return {
        title: 'This dropsite has expired',
        text: 'It accepts no more uploads. Ask the person who sent you the link for another one.',
        field: null,
      };
    case 'not_found':
      return { title: 'This dropsite is gone', text: 'It was removed. Ask the person who sent you the link for another one.', field: null };
    default:
      return { title: 'That did not work', text: error.message, field: null };
  }
}

/** @param {number | null} seconds */
function nextTime(seconds) {
  if (seconds === null) return 'tomorrow';
  const time = new Date(Date.now() + seconds * 1_000);
  return `after ${time.toLocaleString('en-GB', { weekday: 'long', hour: '2-digit', minute: '2-digit' })}`;
}
