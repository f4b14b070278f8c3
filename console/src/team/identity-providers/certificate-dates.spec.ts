import { X509Certificate } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { validityOf } from './certificate-dates.js';

const PEM = `-----BEGIN CERTIFICATE-----
MIIBczCCARmgAwIBAgIUXS/Pff7wzt03B6M3l/YW5QISaWQwCgYIKoZIzj0EAwIw
DjEMMAoGA1UEAwwDaWRwMCAXDTI2MTEyODExMjY0MVoYDzIxMzYwNjA0MTEyNjQx
WjAOMQwwCgYDVQQDDANpZHAwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAAQ7shv4
imIb/1FZxJiMtay90rELKPtiMBukuqRecY3skY/BREdGLTE8sdT43ZNNR/C8H6t/
ZXJKH0xJXlUVTBNfo1MwUTAdBgNVHQ4EFgQUpQ/umA74uhgKGoPgM+wCWgwJpnUw
HwYDVR0jBBgwFoAUpQ/umA74uhgKGoPgM+wCWgwJpnUwDwYDVR0TAQH/BAUwAwEB
/zAKBggqhkjOPQQDAgNIADBFAiEA195GrZiq2ubfrkJSoEi1NfeIyHHJ7wHiQ6I5
8wxSrx8CICkJImdNsOFGSyoZIn0vkmfXFNxXcvvtTqcE3yHQ5ZEi
-----END CERTIFICATE-----`;

const element = (tag: number, ...content: readonly number[]) => [tag, content.length, ...content];
const time = (tag: number, text: string) => element(tag, ...Buffer.from(text));
const SEQUENCE = 0x30;
const INTEGER = 0x02;

/** A certificate of version 1, which has no field for its version, as far as to its validity. */
function certificate(...validity: readonly number[]): string {
  const fields = [element(INTEGER, 1), element(SEQUENCE), element(SEQUENCE), element(SEQUENCE, ...validity)].flat();
  const der = element(SEQUENCE, ...element(SEQUENCE, ...fields));
  return `-----BEGIN CERTIFICATE-----\n${Buffer.from(der).toString('base64')}\n-----END CERTIFICATE-----`;
}

describe('the dates of a certificate', () => {
  it('are those that others read', () => {
    const { validFrom, validTo } = new X509Certificate(PEM);
    expect(validityOf(PEM)).toEqual({ from: new Date(validFrom), until: new Date(validTo) });
  });

  it('are read from both kinds of time, with or without a version', () => {
    const found = validityOf(certificate(...time(0x17, '990102030405Z'), ...time(0x18, '20510203040506Z')));
    expect(found).toEqual({ from: new Date('1999-01-02T03:04:05Z'), until: new Date('2051-02-03T04:05:06Z') });
  });

  it.each(['', 'no certificate', PEM.slice(0, 120), certificate(...time(0x17, 'yesterday')), certificate()])(
    'are unknown for %j',
    (pem) => {
      expect(validityOf(pem)).toBeNull();
    },
  );
});
