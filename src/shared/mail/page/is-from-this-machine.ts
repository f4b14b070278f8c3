import type { IncomingMessage } from 'node:http';

const LOOPBACK = /^(?:127\.|::1$|::ffff:127\.)/;
const LOOPBACK_HOSTS = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/** A proxy on this machine connects from loopback too; any of these tells that it stands between. */
const PROXY_HEADERS = ['forwarded', 'via', 'x-forwarded-for', 'x-real-ip'];

/**
 * Whether somebody at this very machine asks: from loopback, not through a proxy that nobody trusts (TRUST_PROXY), and under a name of the
 * service or of this machine, because a stranger's page may give a name of its own the address 127.0.0.1.
 */
export function isFromThisMachine({ headers, context }: IncomingMessage, config: { trustProxy: string; publicUrl: string }): boolean {
  const hidden = config.trustProxy === '' && PROXY_HEADERS.some((name) => headers[name] !== undefined);
  const host = context.host.replace(/:\d+$/, '').toLowerCase();
  const named = LOOPBACK_HOSTS.test(host) || host === new URL(config.publicUrl).hostname;
  return !hidden && named && LOOPBACK.test(context.clientAddress);
}
