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

interface PolicyOptions {
  /** Origins beside our own that a form may lead to. */
  readonly formAction?: readonly string[];
  /** Origins that may show the page in a frame; none unless given. */
  readonly frameAncestors?: readonly string[];
  /** Origins that scripts of the page may talk to, beside our own; absent: none, not even our own. */
  readonly connectSrc?: readonly string[];
  /** Whether the page may start workers of ours. */
  readonly workers?: boolean;
}

/** The Content-Security-Policy of our pages, with further form targets (Chromium checks redirects after a form too). */
export const contentSecurityPolicy = ({ formAction = [], frameAncestors = [], connectSrc, workers = false }: PolicyOptions = {}): string =>
  [
    "default-src 'none'",
    "style-src 'self'",
    "img-src 'self'",
    "script-src 'self'",
    ...(connectSrc ? [`connect-src ${["'self'", ...connectSrc].join(' ')}`] : []),
    ...(workers ? ["worker-src 'self'"] : []),
    `form-action ${["'self'", ...formAction].join(' ')}`,
    "base-uri 'none'",
    `frame-ancestors ${frameAncestors.join(' ') || "'none'"}`,
  ].join('; ');
