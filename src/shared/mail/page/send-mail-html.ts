import type { ServerResponse } from 'node:http';

/** Mails bring their styles with them, because mail clients load none; everything else they could do is forbidden. Links open elsewhere. */
const POLICY = [
  "default-src 'none'",
  "style-src 'unsafe-inline'",
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'self'",
  'sandbox allow-popups allow-popups-to-escape-sandbox',
].join('; ');

/** Answers with the HTML of a mail, for the frame in which a page of ours shows it. */
export function sendMailHtml(response: ServerResponse, html: string): void {
  response.statusCode = 200;
  response.setHeader('content-type', 'text/html; charset=utf-8');
  response.setHeader('content-length', Buffer.byteLength(html));
  response.setHeader('cache-control', 'no-store');
  response.setHeader('x-frame-options', 'SAMEORIGIN');
  response.removeHeader('origin-agent-cluster'); // a document in a sandbox has an origin of its own, and browsers complain about the wish
  response.setHeader('content-security-policy', POLICY);
  response.end(html);
}
