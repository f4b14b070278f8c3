import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { aRequest, aResponse } from '../../../test/support/accounts/exchange.js';
import { capturedLog } from '../../../test/support/captured-log.js';
import { DomainError } from '../errors.js';
import { beginRequest, logRequests, networkOf, refuseMalformed } from './first-steps.js';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** What the step makes of a request. */
function begin(options: Parameters<typeof aRequest>[0] & { trustProxy?: string; publicUrl?: string }) {
  const { trustProxy = '', publicUrl = 'https://media.example.org', ...rest } = options;
  const request = aRequest(rest);
  const response = aResponse(request);
  let went = false;
  beginRequest({ publicUrl, trustProxy }, capturedLog().log)(request, response, () => {
    went = true;
  });
  expect(went).toBe(true);
  return { request, response, context: request.context };
}

describe('the beginning of a request', () => {
  it('keeps an id that is a sane token, and answers it', () => {
    for (const id of ['a', 'req-1:2.3_4', 'x'.repeat(128)]) {
      const { context, response } = begin({ headers: { 'x-request-id': id } });
      expect([context.id, response.getHeader('x-request-id')]).toEqual([id, id]);
    }
  });

  it('replaces any other id by a new one', () => {
    const sane = /^[\w.:-]{1,128}$/;
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.constantFrom('', 'a b', 'a\nb', 'é', 'x'.repeat(129), '<script>')), (given) => {
        const { context } = begin({ headers: { 'x-request-id': given } });
        expect(context.id).toMatch(sane.test(given) ? sane : UUID);
      }),
    );
    expect(begin({}).context.id).not.toBe(begin({}).context.id);
  });

  it('sets the host to that of the public URL and keeps the sent one', () => {
    const { request, context } = begin({
      headers: { host: 'evil.example', 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'gopher' },
      publicUrl: 'https://media.example.org:8443',
    });
    expect(request.headers).toMatchObject({ host: 'media.example.org:8443', 'x-forwarded-proto': 'https' });
    expect(request.headers).not.toHaveProperty('x-forwarded-host');
    expect(context.host).toBe('evil.example');
  });

  it('warns once of a reverse proxy that TRUST_PROXY does not name', () => {
    const warnings = (trustProxy: string, ...requests: Parameters<typeof aRequest>[0][]) => {
      const { log, lines } = capturedLog();
      const step = beginRequest({ publicUrl: 'https://media.example.org', trustProxy }, log);
      for (const options of requests) {
        const request = aRequest(options);
        step(request, aResponse(request), () => {});
      }
      return lines.map(({ msg }) => /TRUST_PROXY/.test(String(msg)));
    };
    const forwarded = { headers: { 'x-forwarded-for': '198.51.100.1' } };
    for (const remoteAddress of ['127.0.0.1', '::1', '10.0.0.1', '172.20.0.2', '192.168.1.1', 'fd00::1', '::ffff:10.0.0.1']) {
      expect(warnings('', { ...forwarded, remoteAddress }, { ...forwarded, remoteAddress })).toEqual([true]);
    }
    expect(warnings('', { headers: { forwarded: 'for=198.51.100.1' }, remoteAddress: '10.0.0.1' })).toEqual([true]);
    expect(warnings('', { remoteAddress: '10.0.0.1' }, { ...forwarded, remoteAddress: '203.0.113.7' })).toEqual([]);
    expect(warnings('10.0.0.1', { ...forwarded, remoteAddress: '10.0.0.1' })).toEqual([]);
  });

  it.each([
    ['http://Media.example/health?x=1', 'media.example', '/health?x=1'],
    ['https://media.example:8443/', 'media.example:8443', '/'],
    ['http://media.example?page', 'media.example', '/?page'],
    ['http://evil.test/health', 'media.example', 'http://evil.test/health'],
    ['http://media.example@evil.test/', 'media.example', 'http://media.example@evil.test/'],
    ['/health', 'media.example', '/health'],
    ['http:///health', '', 'http:///health'],
  ])('reduces an absolute target to its path only if it names the host of the request: %s at %s', (url, host, expected) => {
    expect(begin({ url, headers: { host } }).request.url).toBe(expected);
  });

  describe('the client address', () => {
    const forwarded = { 'x-forwarded-for': '198.51.100.1, 192.0.2.9' };

    it('is the address of the connection, regardless of headers', () => {
      expect(begin({ headers: forwarded, remoteAddress: '10.0.0.1' }).context.clientAddress).toBe('10.0.0.1');
    });

    it('is the last one that no trusted proxy wrote', () => {
      const address = (trustProxy: string, remoteAddress = '10.0.0.1') =>
        begin({ headers: forwarded, remoteAddress, trustProxy }).context.clientAddress;
      expect(address('10.0.0.0/8')).toBe('192.0.2.9');
      expect(address('10.0.0.0/8, 192.0.2.0/24')).toBe('198.51.100.1');
      expect(address('10.0.0.0/8', '203.0.113.7')).toBe('203.0.113.7');
      expect(address('loopback', '::1')).toBe('192.0.2.9');
    });

    it('is without the port that some proxies write', () => {
      const address = (forwarded: string) =>
        begin({ headers: { 'x-forwarded-for': forwarded }, remoteAddress: '10.0.0.1', trustProxy: '10.0.0.1' }).context.clientAddress;
      expect(['192.0.2.9:4711', '[2001:db8::1]:4711', '[2001:db8::1]', '2001:db8::1'].map(address)).toEqual([
        '192.0.2.9',
        '2001:db8::1',
        '2001:db8::1',
        '2001:db8::1',
      ]);
    });

    it('is counted for its network: one subscriber has a whole /64', () => {
      expect(begin({ remoteAddress: '2001:db8:1:2:3:4:5:6' }).context).toMatchObject({
        clientAddress: '2001:db8:1:2:3:4:5:6',
        clientNetwork: '2001:db8:1:2::/64',
      });
      expect(begin({ remoteAddress: '::ffff:192.0.2.9' }).context.clientNetwork).toBe('192.0.2.9');
    });

    it('is an IPv4 address if it is mapped into IPv6', () => {
      expect(begin({ remoteAddress: '::ffff:192.0.2.9' }).context.clientAddress).toBe('192.0.2.9');
      expect(begin({ remoteAddress: '2001:db8::1' }).context.clientAddress).toBe('2001:db8::1');
      const proxied = { headers: { 'x-forwarded-for': '::FFFF:192.0.2.9' }, remoteAddress: '::ffff:10.0.0.1', trustProxy: '10.0.0.1' };
      expect(begin(proxied).context.clientAddress).toBe('192.0.2.9');
    });
  });
});

describe('the network of an address', () => {
  it.each([
    ['203.0.113.7', '203.0.113.7'],
    ['', ''],
    ['no address', 'no address'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:0DB8:0001:0002::1', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['::', '0:0:0:0::/64'],
    ['1::', '1:0:0:0::/64'],
    ['64:ff9b::192.0.2.1', '64:ff9b:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ])('of %j is %j', (address, network) => {
    expect(networkOf(address)).toBe(network);
  });

  it('is the same for all addresses of a /64, and for no other', () => {
    const half = fc.array(fc.nat(0xffff), { minLength: 4, maxLength: 4 });
    const write = (groups: number[]) => groups.map((group) => group.toString(16)).join(':');
    fc.assert(
      fc.property(half, half, half, half, (network, other, host, otherHost) => {
        const of = (left: number[], right: number[]) => networkOf(write([...left, ...right]));
        expect(of(network, host)).toBe(of(network, otherHost));
        expect(of(network, host) === of(other, host)).toBe(write(network) === write(other));
      }),
    );
  });

  it('does not depend on how the address is written', () => {
    fc.assert(
      fc.property(fc.ipV6(), (address) => {
        const canonical = new URL(`http://[${address}]`).hostname.slice(1, -1);
        expect(networkOf(address)).toBe(networkOf(canonical));
        expect(networkOf(address)).toMatch(/^([0-9a-f]{1,4}:){4}:\/64$/);
      }),
    );
  });
});

/** The lines of a request, once its connection is done with it. */
function linesOf(url: string, options: { level?: string; change?: (request: { url?: string }) => void } = {}) {
  const { log, lines } = capturedLog(options.level);
  const request = aRequest({ method: 'POST', url, headers: { authorization: 'Bearer secret', cookie: 'session=secret' } });
  const response = aResponse(request);
  let went = 0;
  logRequests(log)(request, response, () => {
    went += 1;
  });
  expect([went, lines]).toEqual([1, []]);
  options.change?.(request);
  response.statusCode = 201;
  response.emit('close');
  return lines;
}

describe('the line of a request', () => {
  it('contains caller, request and status', () => {
    expect(linesOf('/v5/things')).toEqual([
      expect.objectContaining({
        msg: 'request',
        requestId: 'request-1',
        method: 'POST',
        path: '/v5/things',
        status: 201,
        clientAddress: '203.0.113.7',
        durationMs: expect.any(Number),
      }),
    ]);
  });

  it('leaves out the query, the headers and everything else that may be a secret', () => {
    expect(JSON.stringify(linesOf('/callback?code=secret&token=secret'))).not.toContain('secret');
  });

  it('names the path that was asked for, although a router may rewrite it', () => {
    const rewrite = (request: { url?: string }) => {
      request.url = '/index.html';
    };
    expect(linesOf('/docs/index.html', { change: rewrite })).toMatchObject([{ path: '/docs/index.html' }]);
  });

  it('is omitted for probes, metrics and assets, but not for other paths with the same prefix', () => {
    for (const url of ['/health/live', '/health/ready?x=1', '/metrics', '/assets/site.css']) expect(linesOf(url)).toEqual([]);
    for (const url of ['/healthy', '/metrics-of-mine', '/v5/health']) expect(linesOf(url)).toHaveLength(1);
  });

  it('costs nothing if the level is off', () => {
    expect(linesOf('/v5/things', { level: 'warn' })).toEqual([]);
  });
});

/** The code with which a URL is refused; undefined when it goes on. */
function refusalOf(url: string, headers: Record<string, string> = {}): string | undefined {
  const request = aRequest({ url, headers });
  let error: unknown = 'nothing happened';
  refuseMalformed(request, aResponse(request), (given) => {
    error = given;
  });
  return error instanceof DomainError ? error.code : (error as undefined);
}

describe('a malformed URL', () => {
  it.each(['/a%00b', '/a?b=%00', '/a\0b', '/%', '/%zz', '/%E0%A4', '/%ff', `/${'a'.repeat(16_384)}`])('is refused: %.20s', (url) => {
    expect(refusalOf(url)).toBe('malformed_request');
  });

  it.each(['/', '/a?b=%', '/v5/media%20files?condition[path]=a.b', '/%E4%BD%A0', `/${'a'.repeat(16_383)}`, '//', '*'])(
    'is not %.30s',
    (url) => {
      expect(refusalOf(url)).toBeUndefined();
    },
  );

  it('is never a URL whose path segments are all percent-encoded', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'grapheme' }), { maxLength: 5 }), (parts) => {
        const url = `/${parts.map((part) => encodeURIComponent(part.replaceAll('\0', ''))).join('/')}`;
        expect(refusalOf(url)).toBeUndefined();
      }),
    );
  });
});

describe('a list of preferences', () => {
  it.each(['accept', 'accept-charset', 'accept-encoding', 'accept-language'])('in %s is read up to 8 KiB', (name) => {
    expect(refusalOf('/', { [name]: 'a/b,'.repeat(2_048) })).toBeUndefined();
    expect(refusalOf('/', { [name]: 'a/b,'.repeat(2_049) })).toBe('malformed_request');
  });
});
