import { randomUUID } from 'node:crypto';
import proxyAddr from 'proxy-addr';
import { networkOf } from './network-of.js';
import type { Step } from './pipeline.js';

const SANE_ID = /^[\w.:-]{1,128}$/; // a token that can stand in a log line and a header

/**
 * Gives the request its id (a sane `x-request-id` is kept), its client address, and pins the Host header to PUBLIC_URL, so that no answer
 * can contain a URL of an attacker's choosing.
 */
export function beginRequest(config: { publicUrl: string; trustProxy: string }): Step {
  const { host, protocol } = new URL(config.publicUrl);
  const trust = compileTrust(config.trustProxy);
  return (request, response, next) => {
    const given = request.headers['x-request-id'];
    const id = typeof given === 'string' && SANE_ID.test(given) ? given : randomUUID();
    const clientAddress = plain(trust ? proxyAddr(request, trust) : (request.socket.remoteAddress ?? ''));
    request.context = {
      id,
      clientAddress,
      clientNetwork: networkOf(clientAddress),
      host: request.headers.host ?? '',
      startedAt: process.hrtime.bigint(),
    };
    request.headers.host = host;
    delete request.headers['x-forwarded-host'];
    request.headers['x-forwarded-proto'] = protocol.slice(0, -1);
    response.setHeader('x-request-id', id);
    next();
  };
}

function compileTrust(value: string): ReturnType<typeof proxyAddr.compile> | null {
  return value ? proxyAddr.compile(value.split(',').map((part) => part.trim())) : null;
}

/** `::ffff:1.2.3.4` is the IPv4 address 1.2.3.4 (RFC 4291 section 2.5.5.2), and some proxies write the port too. */
function plain(address: string): string {
  const [, inBrackets, before] = /^(?:\[([^\]]*)\](?::\d+)?|(\d+\.\d+\.\d+\.\d+):\d+)$/.exec(address) ?? [];
  const bare = inBrackets ?? before ?? address;
  return /^::ffff:\d+\.\d+\.\d+\.\d+$/i.test(bare) ? bare.slice(7) : bare;
}
