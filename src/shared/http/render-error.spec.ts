import { describe, expect, it } from '@jest/globals';
import { NotFoundException } from '@nestjs/common';
import fc from 'fast-check';
import { aRequest, aResponse } from '../../../test/support/accounts/exchange.js';
import { capturedLog } from '../../../test/support/captured-log.js';
import { DomainError, type ErrorKind, generalErrors } from '../errors.js';
import { renderError, sendProblem } from './render-error.js';

async function send(error: DomainError) {
  const request = aRequest();
  const response = aResponse(request);
  sendProblem(request, response, error);
  const { status, headers, body } = await response.sent();
  return { status, headers, body: JSON.parse(body) };
}

describe('a problem document', () => {
  it('contains the members of RFC 9457 and those for older clients', async () => {
    const errors = [{ path: 'formats.0', code: 'not_found', message: 'There is no format 7.' }];
    const { status, headers, body } = await send(new DomainError('invalid', 'validation_failed', 'The input is not valid.', { errors }));
    expect(status).toBe(400);
    expect(headers['content-type']).toBe('application/problem+json; charset=utf-8');
    expect(body).toEqual({
      type: 'about:blank',
      title: 'Bad Request',
      status: 400,
      detail: 'The input is not valid.',
      code: 'validation_failed',
      message: 'The input is not valid.',
      requestId: 'request-1',
      errors,
    });
  });

  it.each<[ErrorKind, number]>([
    ['invalid', 400],
    ['unauthenticated', 401],
    ['forbidden', 403],
    ['not_found', 404],
    ['conflict', 409],
    ['gone', 410],
    ['precondition_failed', 412],
    ['too_large', 413],
    ['rate_limited', 429],
    ['unavailable', 503],
  ])('of the kind %s has the status %i', async (kind, status) => {
    expect((await send(new DomainError(kind, 'a_code', 'A sentence.'))).status).toBe(status);
  });

  it('has the delay in Retry-After', async () => {
    const { headers, body } = await send(new DomainError('rate_limited', 'rate_limited', 'Too many requests.', { retryAfter: 7 }));
    expect(headers['retry-after']).toBe('7');
    expect(body).not.toHaveProperty('retryAfter');
  });

  it('keeps its own members, whatever the error adds', async () => {
    const { body } = await send(new DomainError('forbidden', 'a_code', 'A sentence.', { status: 200, code: 'other', authorizeUrl: '/v4' }));
    expect(body).toMatchObject({ status: 403, code: 'a_code', authorizeUrl: '/v4' });
  });

  it('requests a token, or describes its error (RFC 6750 section 3)', async () => {
    const challenge = async (code: string) =>
      (await send(new DomainError('unauthenticated', code, 'The "token" has expired.'))).headers['www-authenticate'];
    expect(await challenge('unauthenticated')).toBe('Bearer');
    expect(await challenge('token_expired')).toBe(`Bearer error="invalid_token", error_description="The 'token' has expired."`);
  });

  it('has a header that can be sent, whatever the words', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'grapheme' }), async (detail) => {
        const { headers } = await send(new DomainError('unauthenticated', 'token_invalid', detail));
        expect(headers['www-authenticate']).toMatch(/^Bearer error="invalid_token", error_description="[\x20\x21\x23-\x5b\x5d-\x7e]*"$/);
      }),
    );
  });
});

async function render(error: unknown) {
  const { log, lines } = capturedLog();
  const request = aRequest({ url: '/v5/things?token=secret' });
  const response = aResponse(request);
  renderError(error, request, response, log);
  const { status, body } = await response.sent();
  return { status, body: JSON.parse(body), lines };
}

const withStatus = (status: number, more: object = {}) => Object.assign(new Error('inner words'), { status, ...more });

describe('an error as an answer', () => {
  it('is the rule that refused the request', async () => {
    const { status, body, lines } = await render(generalErrors.not_found('The requested resource does not exist.'));
    expect([status, body.code, body.detail]).toEqual([404, 'not_found', 'The requested resource does not exist.']);
    expect(lines).toEqual([]);
  });

  it.each([
    ['an unknown address', new NotFoundException('Cannot GET /v5/things?token=secret'), 404, 'not_found'],
    ['a body that is too large', withStatus(413, { type: 'entity.too.large' }), 413, 'payload_too_large'],
    ['broken JSON', withStatus(400, { type: 'entity.parse.failed', body: '{"password":' }), 400, 'malformed_request'],
    ['an unknown charset', withStatus(415, { type: 'charset.unsupported' }), 400, 'malformed_request'],
    ['a status under another name', Object.assign(new Error(), { statusCode: 400 }), 400, 'malformed_request'],
  ])("translates the framework's words for %s", async (_name, error, status, code) => {
    const answer = await render(error);
    expect([answer.status, answer.body.code]).toEqual([status, code]);
    expect(JSON.stringify(answer.body)).not.toMatch(/secret|password|inner words/);
    expect(answer.lines).toEqual([]);
  });

  it.each([
    ['an Error', new Error('relation "users" does not exist')],
    ['a text', 'a text that was thrown'],
    ['nothing', undefined],
    ['null', null],
    ['a failure elsewhere', withStatus(502)],
  ])('hides an unexpected error (%s), and logs it with the same request id', async (_name, error) => {
    const { status, body, lines } = await render(error);
    expect(status).toBe(500);
    expect(body).toEqual({
      type: 'about:blank',
      title: 'Internal Server Error',
      status: 500,
      detail: expect.any(String),
      message: body.detail,
      code: 'internal',
      requestId: 'request-1',
    });
    expect(JSON.stringify(body)).not.toMatch(/relation|thrown|inner/);
    expect(lines).toEqual([expect.objectContaining({ level: 50, requestId: 'request-1', url: '/v5/things' })]);
  });

  it.each(['ECONNREFUSED', 'ECONNRESET', '57P01', '57P03', '53300', '08006'])(
    'is 503 when the database does not answer (%s), and is logged',
    async (code) => {
      const { status, body, lines } = await render(Object.assign(new Error('connect ECONNREFUSED 10.0.0.5:5432'), { code }));
      expect([status, body.code]).toEqual([503, 'service_unavailable']);
      expect(JSON.stringify(body)).not.toContain('10.0.0.5');
      expect(lines).toHaveLength(1);
    },
  );

  it('ends a response whose status has been sent', () => {
    const { log } = capturedLog();
    const request = aRequest();
    const response = aResponse(request);
    response.writeHead(200).write('half');
    renderError(new Error('too late'), request, response, log);
    expect([response.statusCode, response.destroyed]).toEqual([200, true]);
  });
});
