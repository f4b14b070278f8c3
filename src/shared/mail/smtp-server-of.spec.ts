import { describe, expect, it } from '@jest/globals';
import { smtpServerOf } from './smtp-server-of.js';

describe('a mail server in a URL', () => {
  it.each([
    ['smtp://mail.example.org', { host: 'mail.example.org', port: 587, secure: false }],
    ['smtps://mail.example.org', { host: 'mail.example.org', port: 465, secure: true }],
    ['smtp://localhost:1025', { host: 'localhost', port: 1025, secure: false }],
    ['smtps://[::1]:465/?tls.rejectUnauthorized=false', { host: '::1', port: 465, secure: true }],
    ['smtps://u%40x:p%3Aw%25@h', { host: 'h', port: 465, secure: true, auth: { user: 'u@x', pass: 'p:w%' } }],
    ['smtp://u:100%@h', { host: 'h', port: 587, secure: false, auth: { user: 'u', pass: '100%' } }],
  ])('%s is read', (url, server) => {
    expect(smtpServerOf(url)).toEqual({ ...server, hide: expect.any(Function) });
  });

  it('keeps its password to itself, in every spelling of SMTP', () => {
    const { hide } = smtpServerOf('smtp://user:se%20cret@h');
    const plain = Buffer.from('\0user\0se cret').toString('base64');
    const login = Buffer.from('se cret').toString('base64');
    expect(hide(`a se cret, ${plain} and ${login}`)).toBe('a ***, *** and ***');
    expect(smtpServerOf('smtp://h').hide('nothing to hide')).toBe('nothing to hide');
  });
});
