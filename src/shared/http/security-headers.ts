import helmet from 'helmet';
import type { Step } from './pipeline.js';

/**
 * Sets Helmet's headers with a policy that allows only the assets of this service. Pages that need more (a redirect after a form, a frame) replace
 * the Content-Security-Policy themselves.
 */
export function securityHeaders(config: { publicUrl: string }): Step {
  return helmet({
    contentSecurityPolicy: { useDefaults: false, directives: pagePolicy },
    crossOriginEmbedderPolicy: false,
    crossOriginResourcePolicy: { policy: 'cross-origin' }, // pages of registered origins read API responses; CORS decides which
    strictTransportSecurity: config.publicUrl.startsWith('https:'),
    // Not no-referrer, because browsers then send `Origin: null` with this service's own forms, like another site. Other sites get no referrer.
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

/** The origins that may show a page in a frame, or 'any'. */
export type FrameAncestors = readonly string[] | 'any';

/** Sources that a page may use besides the assets of the service. */
export interface PolicyOptions {
  /**
   * Whether a form of the page leads to a client, directly or by redirects. The page then has no `form-action`: Chromium applies it to every redirect
   * after a form, also to those of the client, and its sources can name neither IPv6 addresses nor hosts with `_`.
   */
  readonly formsLeadToClients?: boolean;
  /** The origins that may frame the page; default: none. */
  readonly frameAncestors?: FrameAncestors;
  /** Additional origins that the page's scripts may connect to; absent: none, not even this service. */
  readonly connectSrc?: readonly string[];
  /** Whether the page may start workers from this service. */
  readonly workers?: boolean;
  /** Additional origins of images. */
  readonly imgSrc?: readonly string[];
  /** Additional sources of video and sound; `blob:` for Media Source Extensions. Absent: none, not even this service. */
  readonly mediaSrc?: readonly string[];
  /** Additional origins of embedded documents; absent: none, not even this service. */
  readonly objectSrc?: readonly string[];
  /** SHA-256 hashes (Base64) of the `style` elements that the page's scripts insert. */
  readonly styleHashes?: readonly string[];
  /** The nonce (Base64) of the `style` elements that the page's scripts insert; a new one for each response. */
  readonly styleNonce?: string;
}

/** The Content-Security-Policy of a page. */
export const contentSecurityPolicy = (options: PolicyOptions = {}): string => {
  const { frameAncestors = [], connectSrc, workers = false, imgSrc = [], mediaSrc, objectSrc, styleHashes = [], styleNonce } = options;
  return [
    "default-src 'none'",
    sources('style-src', [...styleHashes.map((hash) => `'sha256-${hash}'`), ...(styleNonce ? [`'nonce-${styleNonce}'`] : [])]),
    sources('img-src', imgSrc),
    "script-src 'self'",
    ...(mediaSrc ? [sources('media-src', mediaSrc)] : []),
    // Depending on the browser, an embedded document is an object or a frame.
    ...(objectSrc ? ['object-src', 'frame-src'].map((directive) => sources(directive, objectSrc)) : []),
    ...(connectSrc ? [sources('connect-src', connectSrc)] : []),
    ...(workers ? ["worker-src 'self'"] : []),
    ...(options.formsLeadToClients ? [] : ["form-action 'self'"]),
    "base-uri 'none'",
    // Without the directive any page may frame it, including local files and sandboxes, which no source expression matches.
    ...(frameAncestors === 'any' ? [] : [`frame-ancestors ${frameAncestors.join(' ') || "'none'"}`]),
  ].join('; ');
};

const sources = (directive: string, more: readonly string[]): string => [directive, ...new Set(["'self'", ...more])].join(' ');

/** A part of a host name that a source expression can contain (CSP level 3, section 2.3.1): no IPv6 address, no `_`, nothing that ends a directive. */
const LABEL = /^[a-z\d-]*$/i;

/**
 * The host of a source expression that matches `host`. If the grammar has no word for it, this is the narrowest wildcard that matches: `*.example.org`
 * for `my_app.example.org`, `*` for `[::1]`.
 */
export function sourceHost(host: string): string {
  const labels = host.split('.');
  const last = labels.findLastIndex((label) => !LABEL.test(label));
  return last === -1 ? host : ['*', ...labels.slice(last + 1)].join('.');
}
