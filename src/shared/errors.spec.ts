import { describe, expect, it } from '@jest/globals';
import { DomainError, isDatabaseDown, isOutage } from './errors.js';

const withCode = (code: string) => Object.assign(new Error('failed'), { code });

describe('a database that is unavailable', () => {
  it.each([
    ...['28P01', '28000', '3D000', '42501', '53300', '57P03', '57P01', '08006', '25006'], // SQLSTATE
    ...['ECONNREFUSED', 'ETIMEDOUT', 'EAI_AGAIN'],
    ...['CERT_HAS_EXPIRED', 'DEPTH_ZERO_SELF_SIGNED_CERT', 'ERR_TLS_CERT_ALTNAME_INVALID', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'],
  ])('is recognized by the code %s', (code) => {
    expect(isDatabaseDown(withCode(code))).toBe(true);
  });

  it.each([
    'timeout expired',
    'Query read timeout',
    'Connection terminated unexpectedly',
    'The server does not support SSL connections',
    'SASL: SCRAM-SERVER-FIRST-MESSAGE: client password must be a string',
  ])('is recognized by the message "%s"', (message) => {
    expect(isDatabaseDown(new Error(message))).toBe(true);
  });

  it.each(['23505', '22P02', '42P01', 'ENOENT'])('is not recognized by the code %s', (code) => {
    expect(isDatabaseDown(withCode(code))).toBe(false);
  });

  it('is an outage, as is a storage that does not answer', () => {
    expect(isOutage(withCode('28P01'))).toBe(true);
    expect(isOutage(new DomainError('unavailable', 'storage_unavailable', 'away'))).toBe(true);
    expect(isOutage(new DomainError('conflict', 'object_changed', 'changed'))).toBe(false);
    expect(isOutage(new TypeError('x is not a function'))).toBe(false);
  });
});
