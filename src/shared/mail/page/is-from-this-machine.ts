import type { IncomingMessage } from 'node:http';

const LOOPBACK = /^(?:127\.|::1$|::ffff:127\.)/;
const LOOPBACK_HOSTS = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/** A proxy on this machine connects from loopback too; any of these tells that it stands between. */
const PROXY_HEADERS = ['forwarded', 'via', 'x-forwarded-for', 'x-real-ip'];

/**
 * Whether somebody at this very machine asks: from loopback, not through a proxy that nobody trusts (`trustProxy`: TRUST_PROXY), and under a
 * name of this machine, because a stranger's page may give its own name the address 127.0.0.1.
 */
export function isFromThisMachine({ headers, context }: IncomingMessage, trustProxy: string): boolean {
  const hidden = trustProxy === '' && PROXY_HEADERS.some((name) => headers[name] !== undefined);
  return !hidden && LOOPBACK.test(context.clientAddress) && LOOPBACK_HOSTS.test(context.host.replace(/:\d+$/, '').toLowerCase());
}
