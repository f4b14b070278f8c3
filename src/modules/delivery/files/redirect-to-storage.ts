import type { Request, Response } from 'express';

/**
 * Redirects a viewer to the signed URL of an object. A HEAD request only asks whether the object exists: it does not count as a play, so the
 * answer does not contain the URL.
 */
export function redirectToStorage(request: Pick<Request, 'method'>, response: Response, url: string): void {
  if (request.method === 'HEAD') response.status(302).end();
  else response.redirect(302, url);
}
