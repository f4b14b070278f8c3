import { describe, expect, it } from '@jest/globals';
import { EgressError, EgressFailure, toEgressFailure } from './egress-failure.js';

const withCode = (code?: string, more: object = {}): Error => Object.assign(new Error('GET /secret'), { code }, more);
const HOST = 'hooks.example.org';

describe('an error of a request', () => {
  it.each([
    ['ECONNREFUSED', 'refused: hooks.example.org refused the connection'],
    ['ETIMEDOUT', 'timeout: hooks.example.org did not take the connection in time'],
    ['UND_ERR_CONNECT_TIMEOUT', 'timeout: hooks.example.org did not take the connection in time'],
    ['ECONNRESET', 'reset: hooks.example.org closed the connection before it had answered'],
    ['EPIPE', 'reset: hooks.example.org closed the connection before it had answered'],
    ['UND_ERR_SOCKET', 'reset: hooks.example.org closed the connection before it had answered'],
    ['EHOSTUNREACH', 'unreachable: hooks.example.org cannot be reached from here'],
    ['ENETUNREACH', 'unreachable: hooks.example.org cannot be reached from here'],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', 'tls: hooks.example.org offers no TLS that can be trusted (DEPTH_ZERO_SELF_SIGNED_CERT)'],
    ['CERT_HAS_EXPIRED', 'tls: hooks.example.org offers no TLS that can be trusted (CERT_HAS_EXPIRED)'],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'tls: hooks.example.org offers no TLS that can be trusted (UNABLE_TO_VERIFY_LEAF_SIGNATURE)'],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'tls: hooks.example.org offers no TLS that can be trusted (ERR_TLS_CERT_ALTNAME_INVALID)'],
    ['ERR_SSL_WRONG_VERSION_NUMBER', 'tls: hooks.example.org offers no TLS that can be trusted (ERR_SSL_WRONG_VERSION_NUMBER)'],
    ['EPROTO', 'tls: hooks.example.org offers no TLS that can be trusted (EPROTO)'],
    ['HTTPParserError', 'invalid answer: hooks.example.org answered in no valid HTTP (HTTPParserError)'],
    ['HPE_INVALID_CONSTANT', 'invalid answer: hooks.example.org answered in no valid HTTP (HPE_INVALID_CONSTANT)'],
    ['UND_ERR_HEADERS_OVERFLOW', 'invalid answer: hooks.example.org answered in no valid HTTP (UND_ERR_HEADERS_OVERFLOW)'],
    ['UND_ERR_DESTROYED', 'stopped: hooks.example.org was not asked to the end, because the service stopped'],
    ['EMFILE', 'failed: hooks.example.org could not be asked (EMFILE)'],
    [undefined, 'failed: hooks.example.org could not be asked (Error)'],
  ])('%s is reported with a fixed text', (code, reason) => {
    expect(String(toEgressFailure(withCode(code), HOST))).toBe(reason);
  });

  it('for several addresses is the most specific one', () => {
    const errors = [withCode('ENETUNREACH'), withCode('ECONNREFUSED')];
    expect(toEgressFailure(withCode('ENETUNREACH', { errors }), HOST).code).toBe('refused');
  });

  it('of this module keeps its code and text', () => {
    const failure = new EgressFailure('dns', 'no');
    expect(toEgressFailure(new EgressError(failure), HOST)).toBe(failure);
  });
});
