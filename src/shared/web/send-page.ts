import type { ServerResponse } from 'node:http';
import { contentSecurityPolicy, type FrameAncestors } from '../http/security-headers.js';

interface SendPageOptions {
  /** Origins beside our own that a form of this page may lead to; redirects after the form count too. */
  readonly formAction?: readonly string[];
  /** Origins besides our own to which scripts of this page connect; absent: none. */
  readonly connectSrc?: readonly string[];
  /** True: scripts of this page start workers. */
  readonly workers?: boolean;
  /** Origins beside our own that images of this page come from. */
  readonly imgSrc?: readonly string[];
  /** Origins beside our own that video, sound and documents in this page come from; absent: it has none. */
  readonly mediaSrc?: readonly string[];
}

const framing = new WeakMap<ServerResponse, FrameAncestors>();

/** Lets pages of these origins, or all pages, show whatever page this request is answered with, a problem too. */
export function allowFraming(response: ServerResponse, ancestors: FrameAncestors): void {
  framing.set(response, ancestors);
}

/** Answers with a page. It is never cached: pages carry CSRF tokens and what belongs to one person. */
export function sendPage(response: ServerResponse, status: number, html: string, options: SendPageOptions = {}): void {
  response.statusCode = status;
  response.setHeader('content-type', 'text/html; charset=utf-8');
  response.setHeader('content-length', Buffer.byteLength(html));
  response.setHeader('cache-control', 'no-store');
  const frameAncestors = framing.get(response) ?? [];
  if (frameAncestors === 'any' || frameAncestors.length > 0) response.removeHeader('x-frame-options'); // it cannot name origins
  response.setHeader('content-security-policy', contentSecurityPolicy({ ...options, frameAncestors }));
  response.end(html);
}
