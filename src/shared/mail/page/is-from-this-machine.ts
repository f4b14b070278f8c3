import type { IncomingMessage } from 'node:http';

const LOOPBACK = /^(?:127\.|::1$|::ffff:127\.)/;
const LOOPBACK_HOSTS = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/** A proxy on this machine connects from loopback too; any of these tells that it stands between. */
const PROXY_HEADERS = ['forwarded', 'via', 'x-forwarded-for', 'x-real-ip'];

/**
 * Whether somebody at this very machine asks: over a connection from loopback, not through a proxy that nobody trusts (TRUST_PROXY) or that
 * does not say for whom it asks, and under a name of the service or of this machine, because a stranger's page may give a name of its own the
 * address 127.0.0.1. That a proxy elsewhere speaks of loopback proves nothing: it may have been told so.
 */
export function isFromThisMachine(request: IncomingMessage, config: { trustProxy: string; publicUrl: string }): boolean {
  const { headers, context, socket } = request;
  const told = config.trustProxy !== '' && headers['x-forwarded-for'] !== undefined;
  const hidden = !told && PROXY_HEADERS.some((name) => headers[name] !== undefined);
  const host = context.host.replace(/:\d+$/, '').toLowerCase();
  const named = LOOPBACK_HOSTS.test(host) || host === new URL(config.publicUrl).hostname;
  return !hidden && named && LOOPBACK.test(context.clientAddress) && LOOPBACK.test(socket.remoteAddress ?? '');
}
