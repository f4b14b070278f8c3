import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { aRequest, aResponse } from '../../../test/support/exchange.js';
import { DomainError, type ErrorKind } from '../errors/index.js';
import { sendProblem } from './problem.js';

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
