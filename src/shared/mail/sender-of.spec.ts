import { describe, expect, it } from '@jest/globals';
import { senderOf } from './sender-of.js';

describe('the sender', () => {
  it.each([
    ['media@example.org', { name: '', address: 'media@example.org' }],
    ['Media <media@example.org>', { name: 'Media', address: 'media@example.org' }],
    ['Media, Inc. <media@example.org>', { name: 'Media, Inc.', address: 'media@example.org' }],
    ['"Media: films" <media@example.org>', { name: 'Media: films', address: 'media@example.org' }],
    [' <media@example.org>', { name: '', address: 'media@example.org' }],
  ])('%s has two parts', (mailFrom, sender) => {
    expect(senderOf(mailFrom)).toEqual(sender);
  });
});
