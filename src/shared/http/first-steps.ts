import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import ipaddr from 'ipaddr.js';
import proxyAddr from 'proxy-addr';
import { forRequest, type Log } from '../logging/index.js';
import { parseIp } from '../validation/index.js';
import type { Step } from './pipeline.js';
import { httpErrors } from './render-error.js';

const REQUEST_ID = /^[\w.:-]{1,128}$/; // a token that can stand in a log line and a header

const FORWARDING_HEADERS = ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip'];
const OWN_NETWORKS: ReadonlySet<string> = new Set(['loopback', 'private', 'uniqueLocal', 'linkLocal', 'carrierGradeNat']);
const UNTRUSTED_PROXY =
  'a request with a forwarding header came from a private address, and TRUST_PROXY is unset: behind a reverse proxy all clients share its address and its rate limits; set TRUST_PROXY to the address of the proxy';

/**
 * Gives the request its id (a sane `x-request-id` is kept), its client address, and pins the Host header to PUBLIC_URL, so that no answer
 * can contain a URL of an attacker's choosing. Warns once when a reverse proxy seems to be there that TRUST_PROXY does not name.
 */
export function beginRequest(config: { publicUrl: string; trustProxy: string }, log: Pick<Log, 'warn'>): Step {
  const { host, protocol } = new URL(config.publicUrl);
  const trust = compileTrust(config.trustProxy);
  let mayWarn = trust === null;
  return (request, response, next) => {
    if (mayWarn && comesThroughProxy(request)) {
      mayWarn = false;
      log.warn({ peer: request.socket.remoteAddress, setting: 'TRUST_PROXY' }, UNTRUSTED_PROXY);
    }
    const given = request.headers['x-request-id'];
    const id = typeof given === 'string' && REQUEST_ID.test(given) ? given : randomUUID();
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
    forRequest(id, next);
  };
}

function compileTrust(value: string): ReturnType<typeof proxyAddr.compile> | null {
  return value ? proxyAddr.compile(value.split(',').map((part) => part.trim())) : null;
}

function comesThroughProxy({ headers, socket }: IncomingMessage): boolean {
  if (!FORWARDING_HEADERS.some((name) => headers[name] !== undefined)) return false;
  const peer = socket.remoteAddress ?? '';
  return ipaddr.isValid(peer) && OWN_NETWORKS.has(ipaddr.process(peer).range());
}

/** `::ffff:1.2.3.4` is the IPv4 address 1.2.3.4 (RFC 4291 section 2.5.5.2), and some proxies write the port too. */
function plain(address: string): string {
  const [, inBrackets, before] = /^(?:\[([^\]]*)\](?::\d+)?|(\d+\.\d+\.\d+\.\d+):\d+)$/.exec(address) ?? [];
  const bare = inBrackets ?? before ?? address;
  return /^::ffff:\d+\.\d+\.\d+\.\d+$/i.test(bare) ? bare.slice(7) : bare;
}

/**
 * Whom an address is counted for: an IPv4 address itself, an IPv6 address with its /64, because that is what one subscriber has, with
 * 2^64 addresses to go through.
 */
export function networkOf(address: string): string {
  if (!address.includes(':')) return address;
  const [plain = ''] = address.split('%', 1); // without the zone
  const ip = parseIp(plain);
  if (!(ip instanceof ipaddr.IPv6)) return address;
  const groups = ip.parts.slice(0, 4).map((group) => group.toString(16));
  return `${groups.join(':')}::/64`;
}

/** Probes and metrics are asked every few seconds and would fill the log with nothing. */
const QUIET = /^\/(health|metrics|assets)(\/|$)/;

/** One line per request when it has been answered. The query is left out: it may carry codes and tokens. */
export function logRequests(log: Log): Step {
  if (!log.isLevelEnabled('info')) return (_request, _response, next) => next();
  return (request, response, next) => {
    const path = request.url?.split('?', 1)[0] ?? ''; // now: a router may rewrite the URL
    if (QUIET.test(path)) return next();
    response.once('close', () => {
      const { id, clientAddress, startedAt } = request.context;
      const durationMs = Number(process.hrtime.bigint() - startedAt) / 1e6;
      log.info({ requestId: id, method: request.method, path, status: response.statusCode, clientAddress, durationMs }, 'request');
    });
    next();
  };
}

const MAX_URL_LENGTH = 16_384; // browsers and proxies stop earlier; a longer one is an accident or an attack
const MAX_ACCEPT_LENGTH = 8_192; // each preference is compared with each representation; browsers send some hundred characters
const PREFERENCES = ['accept', 'accept-charset', 'accept-encoding', 'accept-language'] as const;

/** Answers 400 where a NUL byte (which PostgreSQL cannot store), a broken escape, an over-long URL or thousands of preferences would fail or cost much later. */
export const refuseMalformed: Step = (request, _response, next) => {
  const url = request.url ?? '';
  if (url.length > MAX_URL_LENGTH) return next(httpErrors.malformed_request(`The URL is longer than ${MAX_URL_LENGTH} characters.`));
  if (/%00|\0/.test(url)) return next(httpErrors.malformed_request('The URL contains a NUL byte.'));
  if (!canDecode(url.split('?', 1)[0] ?? '')) return next(httpErrors.malformed_request('The path has a broken percent-encoding.'));
  const long = PREFERENCES.find((name) => (request.headers[name]?.length ?? 0) > MAX_ACCEPT_LENGTH);
  if (long) return next(httpErrors.malformed_request(`The header ${long} is longer than ${MAX_ACCEPT_LENGTH} characters.`));
  next();
};

function canDecode(path: string): boolean {
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}
