import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import ipaddr from 'ipaddr.js';
import proxyAddr from 'proxy-addr';
import { forClient } from '../fairness/index.js';
import { forRequest, type Log } from '../logging/index.js';
import { parseIp } from '../validation/index.js';
import type { Step } from './pipeline.js';
import { httpErrors } from './render-error.js';

const REQUEST_ID = /^[\w.:-]{1,128}$/; // safe in a log line and a header

const FORWARDING_HEADERS = ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip'];
const OWN_NETWORKS: ReadonlySet<string> = new Set(['loopback', 'private', 'uniqueLocal', 'linkLocal', 'carrierGradeNat']);
const UNTRUSTED_PROXY =
  'a request with a forwarding header came from a private address, and TRUST_PROXY is unset: behind a reverse proxy all clients share its address and its rate limits; set TRUST_PROXY to the address of the proxy';

/**
 * Sets the id of a request (a valid `x-request-id` is kept) and its client address, and pins the Host header to PUBLIC_URL, so that no response
 * can contain a URL that an attacker chose. Warns once if there seems to be a reverse proxy that TRUST_PROXY does not name.
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
    request.url = withoutOwnOrigin(request.url ?? '', request.context.host);
    request.headers.host = host;
    delete request.headers['x-forwarded-host'];
    request.headers['x-forwarded-proto'] = protocol.slice(0, -1);
    response.setHeader('x-request-id', id);
    if (request.headers['transfer-encoding'] !== undefined) closeUnlessRead(request, response);
    forClient(response, () => forRequest(id, next));
  };
}

/** A request target with a scheme and a host (RFC 9112 section 3.2.2). */
const ABSOLUTE_TARGET = /^https?:\/\/([^/?#]*)(.*)$/is;

/** Reduces an absolute target to path and query if it names the host of the Host header; `refuseMalformedHost` refuses one that names another. */
function withoutOwnOrigin(url: string, host: string): string {
  const [, authority = '', rest = ''] = ABSOLUTE_TARGET.exec(url) ?? [];
  if (authority === '' || authority.toLowerCase() !== host.toLowerCase()) return url;
  return rest.startsWith('/') ? rest : `/${rest}`;
}

/**
 * Closes the connection after a response that is sent before the end of a body of unknown length (contract section 12.10): Node.js would read the
 * rest, however long it is, to find the next request.
 */
function closeUnlessRead(request: IncomingMessage, response: ServerResponse): void {
  const { shouldKeepAlive } = response;
  response.shouldKeepAlive = false;
  request.once('end', () => {
    response.shouldKeepAlive = shouldKeepAlive;
  });
}

function compileTrust(value: string): ReturnType<typeof proxyAddr.compile> | null {
  return value ? proxyAddr.compile(value.split(',').map((part) => part.trim())) : null;
}

function comesThroughProxy({ headers, socket }: IncomingMessage): boolean {
  if (!FORWARDING_HEADERS.some((name) => headers[name] !== undefined)) return false;
  const peer = socket.remoteAddress ?? '';
  return ipaddr.isValid(peer) && OWN_NETWORKS.has(ipaddr.process(peer).range());
}

/** Converts `::ffff:1.2.3.4` to the IPv4 address 1.2.3.4 (RFC 4291 section 2.5.5.2) and removes a port, which some proxies append. */
function plain(address: string): string {
  const [, inBrackets, before] = /^(?:\[([^\]]*)\](?::\d+)?|(\d+\.\d+\.\d+\.\d+):\d+)$/.exec(address) ?? [];
  const bare = inBrackets ?? before ?? address;
  return /^::ffff:\d+\.\d+\.\d+\.\d+$/i.test(bare) ? bare.slice(7) : bare;
}

/**
 * The key for counting an address: an IPv4 address itself, an IPv6 address by its /64, because one subscriber has a /64 with
 * 2^64 addresses to choose from.
 */
export function networkOf(address: string): string {
  if (!address.includes(':')) return address;
  const [plain = ''] = address.split('%', 1); // without the zone
  const ip = parseIp(plain);
  if (!(ip instanceof ipaddr.IPv6)) return address;
  const groups = ip.parts.slice(0, 4).map((group) => group.toString(16));
  return `${groups.join(':')}::/64`;
}

/** Probes and scrapes arrive every few seconds and would fill the log with useless lines. */
const QUIET = /^\/(health|metrics|assets)(\/|$)/;

/** Logs one line per request after the response. The query is omitted, because it may contain codes and tokens. */
export function logRequests(log: Log): Step {
  if (!log.isLevelEnabled('info')) return (_request, _response, next) => next();
  return (request, response, next) => {
    const path = request.url?.split('?', 1)[0] ?? ''; // read now, because a router may rewrite the URL
    if (QUIET.test(path)) return next();
    response.once('close', () => {
      const { id, clientAddress, startedAt } = request.context;
      const durationMs = Number(process.hrtime.bigint() - startedAt) / 1e6;
      log.info({ requestId: id, method: request.method, path, status: response.statusCode, clientAddress, durationMs }, 'request');
    });
    next();
  };
}

/** A host name or an address, and a port (RFC 9110 section 7.2). A comma would be legal in a name, but only lists of hosts contain one. */
const HOST = /^(?:[\w.~-]+|\[[\w:.%~-]+\])(?::\d{0,5})?$/;

/**
 * Responds with 400 to requests whose host is not certain (RFC 9112 section 3.2): proxies and caches before the service could take it for another one than
 * the service does. Only HTTP/1.0 may leave out the header; Node.js refuses the others.
 */
export const refuseMalformedHost: Step = (request, _response, next) => {
  const [host, ...more] = request.headersDistinct.host ?? [];
  if (more.length > 0) return next(httpErrors.malformed_request('The request has more than one Host header.'));
  if (host !== undefined && !HOST.test(host))
    return next(httpErrors.malformed_request('The Host header must be one host, with a port or without.'));
  if (ABSOLUTE_TARGET.test(request.url ?? ''))
    return next(httpErrors.malformed_request('The request target and the Host header name different hosts.'));
  next();
};

const MAX_URL_LENGTH = 16_384; // browsers and proxies have lower limits; a longer URL is a mistake or an attack
const MAX_ACCEPT_LENGTH = 8_192; // each preference is compared with each representation; browsers send a few hundred characters
const PREFERENCES = ['accept', 'accept-charset', 'accept-encoding', 'accept-language'] as const;

/** Responds with 400 to NUL bytes (which PostgreSQL cannot store), broken escapes, over-long URLs and thousands of preferences. */
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
