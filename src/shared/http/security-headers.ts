import helmet from 'helmet';
import type { Step } from './pipeline.js';

/**
 * Helmet's headers with a policy that allows nothing but our own assets. Pages that need more (a redirect after a form, a frame) replace
 * the Content-Security-Policy themselves.
 */
export function securityHeaders(config: { publicUrl: string }): Step {
  return helmet({
    contentSecurityPolicy: { useDefaults: false, directives: pagePolicy },
    crossOriginEmbedderPolicy: false,
    crossOriginResourcePolicy: { policy: 'cross-origin' }, // API answers are read by pages of registered origins; CORS decides
    strictTransportSecurity: config.publicUrl.startsWith('https:'),
    // Not no-referrer: browsers then send `Origin: null` with our own forms, which looks like another site. Other sites still learn nothing.
    referrerPolicy: { policy: 'same-origin' },
  });
}

const pagePolicy = {
  defaultSrc: ["'none'"],
  styleSrc: ["'self'"],
  imgSrc: ["'self'"],
  scriptSrc: ["'self'"],
  formAction: ["'self'"],
  baseUri: ["'none'"],
  frameAncestors: ["'none'"],
};

/** The origins that may show a page in a frame, or any page. */
export type FrameAncestors = readonly string[] | 'any';

/** What a page may load and call besides the assets of the service. */
export interface PolicyOptions {
  /** Origins beside our own that a form of the page may lead to; redirects after the form count too. */
  readonly formAction?: readonly string[];
  /** The origins that may frame the page; by default none. */
  readonly frameAncestors?: FrameAncestors;
  /** Origins that scripts of the page may talk to, beside our own; absent: none, not even our own. */
  readonly connectSrc?: readonly string[];
  /** Whether the page may start workers of ours. */
  readonly workers?: boolean;
  /** Origins beside our own that images of the page come from. */
  readonly imgSrc?: readonly string[];
  /** Sources beside our own of video and sound; `blob:` for Media Source Extensions. Absent: none, not even our own. */
  readonly mediaSrc?: readonly string[];
  /** Origins beside our own that documents in the page come from; absent: none, not even our own. */
  readonly objectSrc?: readonly string[];
  /** SHA-256 hashes (Base64) of the `style` elements that scripts of the page insert. */
  readonly styleHashes?: readonly string[];
}

/** The Content-Security-Policy of our pages, with further form targets (Chromium checks redirects after a form too). */
export const contentSecurityPolicy = (options: PolicyOptions = {}): string => {
  const { formAction = [], frameAncestors = [], connectSrc, workers = false, imgSrc = [], mediaSrc, objectSrc, styleHashes = [] } = options;
  return [
    "default-src 'none'",
    sources(
      'style-src',
      styleHashes.map((hash) => `'sha256-${hash}'`),
    ),
    sources('img-src', imgSrc),
    "script-src 'self'",
    ...(mediaSrc ? [sources('media-src', mediaSrc)] : []),
    // A document in the page is an object or a frame, depending on the browser.
    ...(objectSrc ? ['object-src', 'frame-src'].map((directive) => sources(directive, objectSrc)) : []),
    ...(connectSrc ? [sources('connect-src', connectSrc)] : []),
    ...(workers ? ["worker-src 'self'"] : []),
    sources('form-action', formAction),
    "base-uri 'none'",
    // Without the directive any page may, including pages of files and sandboxes, which no source expression matches.
    ...(frameAncestors === 'any' ? [] : [`frame-ancestors ${frameAncestors.join(' ') || "'none'"}`]),
  ].join('; ');
};

const sources = (directive: string, more: readonly string[]): string => [directive, ...new Set(["'self'", ...more])].join(' ');
