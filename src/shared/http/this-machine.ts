import type { IncomingMessage } from 'node:http';
import { isLoopback } from '../validation/index.js';
import { hasProxyHeader } from './pipeline.js';

const LOOPBACK_HOSTS = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/**
 * Whether the caller is on this machine: connected from loopback, not through an untrusted proxy (TRUST_PROXY) or one that does not
 * name its client, and under a host name of the service or of this machine, because another site can point its own host name at
 * 127.0.0.1 (DNS rebinding). A remote proxy that reports a loopback client proves nothing, because its client may have forged that.
 */
export function isFromThisMachine(request: IncomingMessage, config: { trustProxy: string; publicUrl: string }): boolean {
  const { headers, context, socket } = request;
  const namesClient = config.trustProxy !== '' && headers['x-forwarded-for'] !== undefined;
  const hidden = !namesClient && hasProxyHeader(headers);
  const host = context.host.replace(/:\d+$/, '').toLowerCase();
  const named = LOOPBACK_HOSTS.test(host) || host === new URL(config.publicUrl).hostname;
  return !hidden && named && isLoopback(context.clientAddress) && isLoopback(socket.remoteAddress ?? '');
}
