import type { ServerResponse } from 'node:http';
import { contentSecurityPolicy } from '../http/security-headers.js';

interface SendPageOptions {
  /** Origins beside our own that a form of this page may lead to; redirects after the form count too. */
  readonly formAction?: readonly string[];
  /** Origins beside our own that scripts of this page talk to; absent: they talk to nobody. */
  readonly connectSrc?: readonly string[];
  /** True: scripts of this page start workers. */
  readonly workers?: boolean;
}

const framing = new WeakMap<ServerResponse, readonly string[]>();

/** Lets pages of these origins show whatever page this request is answered with, a problem too. */
export function allowFraming(response: ServerResponse, origins: readonly string[]): void {
  framing.set(response, origins);
}

/** Answers with a page. It is never cached: pages carry CSRF tokens and what belongs to one person. */
export function sendPage(response: ServerResponse, status: number, html: string, options: SendPageOptions = {}): void {
  response.statusCode = status;
  response.setHeader('content-type', 'text/html; charset=utf-8');
  response.setHeader('content-length', Buffer.byteLength(html));
  response.setHeader('cache-control', 'no-store');
  const frameAncestors = framing.get(response) ?? [];
  if (frameAncestors.length > 0) response.removeHeader('x-frame-options'); // it cannot name origins
  response.setHeader('content-security-policy', contentSecurityPolicy({ ...options, frameAncestors }));
  response.end(html);
}
