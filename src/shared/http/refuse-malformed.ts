import type { Step } from './pipeline.js';
import { httpErrors } from './render-error.js';

const MAX_URL_LENGTH = 16_384; // browsers and proxies stop earlier; a longer one is an accident or an attack

/** Answers 400 where a NUL byte (which PostgreSQL cannot store), a broken escape or an over-long URL would fail later. */
export const refuseMalformed: Step = (request, _response, next) => {
  const url = request.url ?? '';
  if (url.length > MAX_URL_LENGTH) return next(httpErrors.malformed_request(`The URL is longer than ${MAX_URL_LENGTH} characters.`));
  if (/%00|\0/.test(url)) return next(httpErrors.malformed_request('The URL contains a NUL byte.'));
  if (!canDecode(url.split('?', 1)[0] ?? '')) return next(httpErrors.malformed_request('The path has a broken percent-encoding.'));
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
