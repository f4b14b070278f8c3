import type { Request, Response } from 'express';

/**
 * Sends a viewer to the signed URL of an object. HEAD asks whether there is one: it takes no place of those who watch at the same time, so it
 * gets no address either.
 */
export function redirectToStorage(request: Pick<Request, 'method'>, response: Response, url: string): void {
  if (request.method === 'HEAD') response.status(302).end();
  else response.redirect(302, url);
}
