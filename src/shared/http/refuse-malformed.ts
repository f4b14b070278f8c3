import type { Step } from './pipeline.js';
import { httpErrors } from './render-error.js';

const MAX_URL_LENGTH = 16_384; // browsers and proxies stop earlier; a longer one is an accident or an attack
const MAX_ACCEPT_LENGTH = 8_192; // each preference is compared with each representation; browsers send some hundred characters
const PREFERENCES = ['accept', 'accept-charset', 'accept-encoding', 'accept-language'] as const;

/** Answers 400 where a NUL byte (which PostgreSQL cannot store), a broken escape, an over-long URL or thousands of preferences would fail or cost much later. */
export const refuseMalformed: Step = (request, _response, next) => {
  const url = request.url ?? '';
  if (url.length > MAX_URL_LENGTH) return next(httpErrors.malformed_request(`The URL is longer than ${MAX_URL_LENGTH} characters.`));
  if (/%00|\0/.test(url)) return next(httpErrors.malformed_request('The URL contains a NUL byte.'));
  if (!canDecode(url.split('?', 1)[0] ?? '')) return next(httpErrors.malformed_request('The path has a broken percent-encoding.'));
  const long = PREFERENCES.find((name) => (request.headers[name]?.length ?? 0) > MAX_ACCEPT_LENGTH);
  if (long) return next(httpErrors.malformed_request(`The header ${long} is longer than ${MAX_ACCEPT_LENGTH} characters.`));
  next();
};

function canDecode(path: string): boolean {
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}
