import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Instruction } from './instruction.js';
import { maskInstruction, restoreSecrets } from './instruction-secrets.js';
import { MASK, maskPayload } from './secret-values.js';

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

  it.each(['auth', 'Bearer', 'pass', 'PIN', 'api_key', 'x-auth-token'])('covers values named %s', (name) => {
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

  it('covers the sent values', () => {
    expect(maskPayload({ a: [{ token: 1 }], b: 2 })).toEqual({ a: [{ token: MASK }], b: 2 });
    expect(maskPayload('text')).toBe('text');
    const payload = (code: string) => ({ name: 'event:mediaProblem', payload: { code } });
    expect(maskPayload(payload('cut_off'))).toEqual(payload('cut_off'));
    expect(maskPayload(payload('SplxlOBeZQQYbYS6WxSbIA'))).toEqual(payload(MASK));
  });
});

const https = (fields: object = {}): Instruction => ({
  type: 'https',
  url: 'https://a.example/hook?token=t1&token=t2',
  headers: { 'x-key': 'h' },
  payload: { list: [{ password: 'p' }] },
  ...fields,
});
const api = (fields: object = {}): Instruction => ({ type: 'api', method: 'PUT', path: 'v5/a', payload: { password: 'p' }, ...fields });
const email = (recipient: string, parameters: object): Instruction => ({
  type: 'email',
  template: 's3success',
  parameters: { ...parameters },
  to: [{ recipient }],
});
const pathsOf = (wanted: Instruction[], stored: Instruction[]) => restoreSecrets(wanted, stored).problems.map(({ path }) => path);

describe('a mask that comes back', () => {
  it('keeps what is stored at its place', () => {
    const stored = [https(), api({ path: 'v5/a?key=k' }), email('a@b.example', { token: { a: 1 } })];
    expect(restoreSecrets(stored.map(maskInstruction), stored)).toEqual({ instructions: stored, problems: [] });
  });

  it('permits changes that do not affect the destination', () => {
    const wanted = https({
      url: `https://a.example/hook?token=${MASK}&token=new`,
      headers: { 'x-key': MASK, 'x-new': 'n' },
      payload: { other: 1 },
    });
    const { instructions, problems } = restoreSecrets([wanted], [https()]);
    expect(problems).toEqual([]);
    expect(instructions).toEqual([
      https({ url: 'https://a.example/hook?token=t1&token=new', headers: { 'x-key': 'h', 'x-new': 'n' }, payload: { other: 1 } }),
    ]);
  });

  it('is refused in a payload of which anything else was changed, except another secret', () => {
    const stored = [api({ payload: { url: 'https://a.example/', by: { token: 't', password: 'p' } } })];
    const masked = { token: MASK, password: MASK };
    expect(pathsOf([api({ payload: { by: { password: 'new', token: MASK }, url: 'https://a.example/' } })], stored)).toEqual([]);
    for (const change of [{ url: 'https://b.example/' }, { url: undefined }, { more: 1 }]) {
      const payload = JSON.parse(JSON.stringify({ url: 'https://a.example/', by: masked, ...change }));
      expect(pathsOf([api({ payload })], stored)).toEqual(['instructions.0.payload.by.token', 'instructions.0.payload.by.password']);
    }
    expect(pathsOf([email('a@b.example', { token: MASK, a: 2 })], [email('a@b.example', { token: 't', a: 1 })])).toEqual([
      'instructions.0.parameters.token',
    ]);
  });

  it('is refused where the instruction goes elsewhere', () => {
    const header = { url: 'https://a.example/', headers: { 'x-key': MASK }, payload: null };
    const there = https({ ...header, headers: { 'x-key': 'h' } });
    expect(pathsOf([https(header)], [there])).toEqual([]);
    const origins = ['https://b.example/', 'https://a.example:8443/', 'http://a.example/', 'https://a.example.b.example/'];
    const moved = [...origins, 'https://a.example/somebody', 'https://a.example/?to=somebody', 'https://a.example/:name'];
    for (const url of moved) expect(pathsOf([https({ ...header, url })], [there])).toEqual(['instructions.0.headers.x-key']);
    expect(pathsOf([https({ ...header, method: 'PUT' })], [there])).toEqual(['instructions.0.headers.x-key']);
    expect(pathsOf([api({ path: `v5/a?to=b&key=${MASK}`, payload: {} })], [api({ path: 'v5/a?to=a&key=k' })])).toEqual([
      'instructions.0.path.key.0',
    ]);
    expect(pathsOf([api({ payload: { password: MASK } })], [api({ method: 'POST' })])).toEqual(['instructions.0.payload.password']);
    expect(pathsOf([api({ payload: { password: MASK } })], [api({ path: 'v5/b' })])).toEqual(['instructions.0.payload.password']);
    expect(pathsOf([email('c@b.example', { token: MASK })], [email('a@b.example', { token: 't' })])).toEqual([
      'instructions.0.parameters.token',
    ]);
  });

  it('is refused for another instruction, a new one, or one without a secret', () => {
    expect(pathsOf([api({ payload: { password: MASK } })], [https()])).toEqual(['instructions.0.payload.password']);
    expect(pathsOf([https(), https({ headers: { 'x-key': MASK } })], [https()])).toEqual(['instructions.1.headers.x-key']);
    expect(pathsOf([https({ headers: { 'x-other': MASK } })], [https()])).toEqual(['instructions.0.headers.x-other']);
    expect(pathsOf([https({ payload: { credentials: { password: MASK } } })], [https()])).toEqual(['instructions.0.payload.credentials']);
  });

  it('is an ordinary text in a place without a secret', () => {
    const wanted = https({ payload: { title: MASK }, headers: {}, url: 'https://a.example/' });
    expect(restoreSecrets([wanted], [])).toEqual({ instructions: [wanted], problems: [] });
  });

  it('keeps whatever was stored, of whatever shape', () => {
    const key = fc.constantFrom('token', 'password', 'a', 'b.c', 'list');
    const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
      tree: fc.oneof(
        { maxDepth: 4 },
        fc.string(),
        fc.integer(),
        fc.constant(null),
        fc.array(tie('tree'), { maxLength: 3 }),
        fc.dictionary(key, tie('tree'), { noNullPrototype: true }),
      ),
    }));
    fc.assert(
      fc.property(tree, (payload) => {
        const stored = [https({ payload })];
        expect(restoreSecrets(stored.map(maskInstruction), stored)).toEqual({ instructions: stored, problems: [] });
      }),
    );
  });
});
