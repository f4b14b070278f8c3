import { describe, expect, it } from '@jest/globals';
import { aRequest } from '../../../test/support/accounts/exchange.js';
import { isFromThisMachine } from './this-machine.js';

function ask({ from = '127.0.0.1', client = '', host = 'localhost:3000', headers = {}, trustProxy = '' }): boolean {
  const request = aRequest({ remoteAddress: from, headers });
  request.context = { ...request.context, host, clientAddress: client || from };
  return isFromThisMachine(request, { trustProxy, publicUrl: 'http://media.example.org:3000' });
}

describe('this machine', () => {
  it.each(['127.0.0.1', '127.8.8.8', '::1', '::ffff:127.0.0.1'])('is recognised by the address %s', (from) => {
    expect(ask({ from })).toBe(true);
  });

  it.each(['203.0.113.7', '10.0.0.1', '::ffff:10.0.0.1', '2001:db8::1', '1127.0.0.1'])('is not recognised by the address %s', (from) => {
    expect(ask({ from })).toBe(false);
  });

  it.each(['localhost', 'LOCALHOST:3000', '127.0.0.1:8080', '127.1.2.3', '[::1]:3000', 'media.example.org:3000'])(
    'is called %s',
    (host) => {
      expect(ask({ host })).toBe(true);
    },
  );

  it.each(['rebound.example.org:3000', 'x.media.example.org', 'localhost.example.org', '127.0.0.1.example.org', ''])(
    'is not called %j',
    (host) => {
      expect(ask({ host })).toBe(false);
    },
  );

  it.each(['x-forwarded-for', 'forwarded', 'via', 'x-real-ip'])('is not recognised behind an untrusted proxy that sends %s', (name) => {
    expect(ask({ headers: { [name]: '127.0.0.1' } })).toBe(false);
    expect(ask({ headers: { [name]: '127.0.0.1', 'x-forwarded-for': '127.0.0.1' }, trustProxy: 'loopback' })).toBe(true);
  });

  it.each(['forwarded', 'via', 'x-real-ip'])('is not recognised behind a trusted proxy that sends only %s', (name) => {
    expect(ask({ headers: { [name]: '127.0.0.1' }, trustProxy: 'loopback' })).toBe(false);
  });

  it('is not recognised if a remote proxy forwards a loopback address', () => {
    expect(ask({ from: '10.0.0.1', client: '127.0.0.1', headers: { 'x-forwarded-for': '127.0.0.1' }, trustProxy: '10.0.0.1' })).toBe(false);
  });
});
