import { describe, expect, it } from '@jest/globals';
import { toWantedSubscription } from './to-wanted-subscription.js';

const aWish = { name: 'event:s3success', flag: 0, conditions: {}, instructions: [], notes: '' };

describe('what somebody wants of a subscription', () => {
  it('keeps all that is known, in the order in which it was sent', () => {
    const instructions = [
      { path: 'v5/format', type: 'api', method: 'POST', payload: { a: null }, expected: [{ path: 'a', value: null }], as: 'b' },
      { type: 'email', to: [{ recipient: 'a@b.example', language: 'de' }], template: 's3success', parameters: { a: 1 } },
      { type: 'email', to: [{ recipient: 'a@b.example' }], subject: 's', text: 't' },
      { type: 'https', url: 'https://a.example', method: 'PUT', headers: { a: 'b' }, payload: { unknown: 1 } },
    ];
    const wish = { ...aWish, conditions: { methods: ['create'], payload: { unknown: 1 } }, instructions, notes: 'n' };
    const wanted = toWantedSubscription(wish);
    expect(wanted).toEqual(wish);
    expect(JSON.stringify(wanted.instructions)).toBe(JSON.stringify(instructions));
  });

  it('drops what is not known, wherever it stands', () => {
    const unknown = { unknown: 1 };
    const instructions = [
      { type: 'api', method: 'POST', path: 'v5/format', expected: [{ path: 'a', value: 1, ...unknown }], ...unknown },
      { type: 'email', to: [{ recipient: 'a@b.example', ...unknown }], subject: 's', text: 't', url: 'https://a.example' },
      { type: 'https', url: 'https://a.example', path: 'v5/format' },
    ];
    expect(toWantedSubscription({ ...aWish, ...unknown, conditions: unknown, instructions })).toEqual({
      ...aWish,
      instructions: [
        { type: 'api', method: 'POST', path: 'v5/format', expected: [{ path: 'a', value: 1 }] },
        { type: 'email', to: [{ recipient: 'a@b.example' }], subject: 's', text: 't' },
        { type: 'https', url: 'https://a.example' },
      ],
    });
  });

  it('takes null for absent, and a path with and without a slash', () => {
    const instructions = [
      { type: 'api', method: 'GET', path: '/v5/format', payload: null, expected: null, as: null },
      { type: 'https', url: 'https://a.example', method: null, headers: null, payload: null },
    ];
    expect(toWantedSubscription({ ...aWish, conditions: { methods: null, payload: null }, instructions, notes: null })).toEqual({
      ...aWish,
      instructions: [
        { type: 'api', method: 'GET', path: 'v5/format' },
        { type: 'https', url: 'https://a.example' },
      ],
    });
  });
});
