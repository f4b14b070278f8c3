import { describe, expect, it } from '@jest/globals';
import { aRequest, aResponse } from '../../test/support/accounts/exchange.js';
import { measureRequests, serveMetrics, startMetrics } from './metrics.js';

const TOKEN = 'a token of the operator';

interface Asking {
  readonly url?: string;
  readonly method?: string;
  readonly remoteAddress?: string;
  readonly headers?: Record<string, string>;
  readonly token?: string;
  readonly host?: string;
}

/** What GET /metrics answers; null when the request goes on as if there were nothing. */
async function ask({ token = '', host = 'localhost:3000', ...request }: Asking): Promise<string | null> {
  const asked = aRequest({ url: '/metrics', remoteAddress: '127.0.0.1', ...request });
  asked.context = { ...asked.context, host };
  const config = { metricsToken: token, publicUrl: 'https://media.example.org', trustProxy: '' };
  const response = aResponse(asked);
  const goneOn = new Promise<null>((resolve) => {
    serveMetrics(async () => 'the metrics', config)(asked, response, () => resolve(null));
  });
  return await Promise.race([goneOn, response.sent().then(({ body }) => body)]);
}

describe('the metrics', () => {
  it.each(['127.0.0.1', '127.8.8.8', '::1', '::ffff:127.0.0.1'])('are shown to the machine itself (%s)', async (remoteAddress) => {
    expect(await ask({ remoteAddress })).toBe('the metrics');
    expect(await ask({ remoteAddress, url: '/metrics?name=all' })).toBe('the metrics');
  });

  it.each(['203.0.113.7', '10.0.0.1', '::ffff:10.0.0.1', '2001:db8::1', '1127.0.0.1'])(
    'are not shown to other addresses (%s)',
    async (remoteAddress) => {
      expect(await ask({ remoteAddress })).toBeNull();
    },
  );

  it.each(['x-forwarded-for', 'forwarded', 'via', 'x-real-ip'])(
    'are not shown through a proxy on the machine, recognised by %s',
    async (name) => {
      expect(await ask({ headers: { [name]: '203.0.113.7' } })).toBeNull();
    },
  );

  it('are not shown under the host name of another site, which may point it at this machine', async () => {
    for (const host of ['rebound.example:3000', 'localhost.rebound.example', '']) expect([host, await ask({ host })]).toEqual([host, null]);
    expect(await ask({ host: 'media.example.org' })).toBe('the metrics');
    expect(await ask({ host: 'rebound.example', token: TOKEN, headers: { authorization: `Bearer ${TOKEN}` } })).toBe('the metrics');
  });

  it('are shown from anywhere with the token', async () => {
    const headers = (token: string) => ({ authorization: `Bearer ${token}`, 'x-forwarded-for': '203.0.113.7' });
    expect(await ask({ token: TOKEN, remoteAddress: '10.0.0.1', headers: headers(TOKEN) })).toBe('the metrics');
    expect(await ask({ token: TOKEN, headers: { authorization: `bearer ${TOKEN}` } })).toBe('the metrics');
    expect(await ask({ token: TOKEN, remoteAddress: '10.0.0.1', headers: headers(`${TOKEN}x`) })).toBeNull();
    expect(await ask({ token: TOKEN, remoteAddress: '10.0.0.1' })).toBeNull();
    expect(await ask({ token: '', remoteAddress: '10.0.0.1', headers: headers('') })).toBeNull();
    expect(await ask({ token: '', remoteAddress: '10.0.0.1', headers: headers('x') })).toBeNull();
  });

  it('are served for GET at one path only', async () => {
    expect(await ask({ method: 'POST' })).toBeNull();
    expect(await ask({ url: '/metrics/more' })).toBeNull();
    expect(await ask({ url: '/Metrics' })).toBeNull();
  });

  it('count requests by route, so that clients cannot create unlimited labels', async () => {
    const source = startMetrics();
    const measure = (url: string, route?: string) => {
      const request = Object.assign(aRequest({ url }), route ? { route: { path: route } } : {});
      const response = aResponse(request);
      measureRequests(request, response, () => {});
      response.emit('close');
    };
    measure('/v4/apps/7', '/v4/apps/:id');
    measure('/v4/token?x=1');
    measure('/.well-known/openid-configuration');
    for (const path of ['/.well-known/a', '/.well-known/b-1', '/v4/tokens', '/v4/authorize/x/y', '/wp-login.php']) measure(path);
    const routes = [...(await source()).matchAll(/http_request_duration_seconds_count\{[^}]*route="([^"]*)"[^}]*\} (\d+)/g)];
    expect(Object.fromEntries(routes.map(([, route, count]) => [route, Number(count)]))).toEqual({
      '/v4/apps/:id': 1,
      '/v4/token': 1,
      '/.well-known/openid-configuration': 1,
      '/v4/authorize': 1,
      other: 4,
    });
  });
});
