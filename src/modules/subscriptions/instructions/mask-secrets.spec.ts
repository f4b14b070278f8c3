import { describe, expect, it } from '@jest/globals';
import type { Instruction } from '../instructions/instruction.js';
import { MASK, maskInstruction, maskPayload } from './mask-secrets.js';

describe('the mask', () => {
  it('covers every header, and secrets by name in the query and at any depth of the payload', () => {
    expect(
      maskInstruction({
        type: 'https',
        url: 'https://a.example/:name?to=:name&access%5Ftoken=t&sig=s&flag&token=&to=2',
        headers: { 'x-anything': 'h' },
        payload: { list: [{ clientSecret: 's', other: 1 }], credentials: { user: 'u', pin: 1 }, password: null },
      }),
    ).toEqual({
      type: 'https',
      url: `https://a.example/:name?to=:name&access%5Ftoken=${MASK}&sig=${MASK}&flag&token=${MASK}&to=2`,
      headers: { 'x-anything': MASK },
      payload: { list: [{ clientSecret: MASK, other: 1 }], credentials: MASK, password: null },
    });
  });

  it.each(['auth', 'Bearer', 'pass', 'PIN', 'api_key', 'x-auth-token'])('covers what is called %s', (name) => {
    expect(maskPayload({ [name]: 's', author: 'Ada', passage: 1, spin: 2 })).toEqual({ [name]: MASK, author: 'Ada', passage: 1, spin: 2 });
  });

  it('covers them in calls of the API and their expectations, and in parameters of e-mails', () => {
    const call: Instruction = {
      type: 'api',
      method: 'PUT',
      path: 'v5/a/:id?key=k&id=1',
      payload: { password: 'p', name: 'n' },
      expected: [
        { path: 'client.secret', value: 's' },
        { path: 'x', value: { token: 't', y: 1 } },
      ],
      as: 'a',
    };
    expect(maskInstruction(call)).toEqual({
      ...call,
      path: `v5/a/:id?key=${MASK}&id=1`,
      payload: { password: MASK, name: 'n' },
      expected: [
        { path: 'client.secret', value: MASK },
        { path: 'x', value: { token: MASK, y: 1 } },
      ],
    });
    const to = [{ recipient: 'a@b.example' }];
    expect(maskInstruction({ type: 'email', template: 's3success', parameters: { apiKey: 'k', a: 1 }, to })).toEqual({
      type: 'email',
      template: 's3success',
      parameters: { apiKey: MASK, a: 1 },
      to,
    });
  });

  it('adds no members', () => {
    const plain: Instruction[] = [
      { type: 'https', url: 'https://a.example/#b' },
      { type: 'api', method: 'GET', path: 'v5/a' },
      { type: 'email', subject: 's', text: 't', to: [] },
    ];
    expect(plain.map(maskInstruction)).toStrictEqual(plain);
  });

  it('covers what was sent', () => {
    expect(maskPayload({ a: [{ token: 1 }], b: 2 })).toEqual({ a: [{ token: MASK }], b: 2 });
    expect(maskPayload('text')).toBe('text');
  });
});
