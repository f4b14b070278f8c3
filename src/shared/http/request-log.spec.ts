import { describe, expect, it } from '@jest/globals';
import { capturedLog } from '../../../test/support/captured-log.js';
import { aRequest, aResponse } from '../../../test/support/exchange.js';
import { logRequests } from './request-log.js';

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
