import { describe, expect, it } from '@jest/globals';
import { EVENT_NAMES } from '../../shared/events/index.js';
import { subscriptionRule, toWantedSubscription } from './wanted-subscription.js';

const rule = subscriptionRule((url) => (url.includes('private') ? 'private.example is not reached' : null));
const problems = (input: unknown) => rule(input, '').map(({ path, code }) => `${path} ${code}`);

const aSubscriptionInput = (fields: object = {}) => ({ name: 'event:s3success', flag: 0, instructions: [https()], ...fields });
const https = (fields: object = {}) => ({ type: 'https', url: 'https://a.example/', ...fields });
const api = (fields: object = {}) => ({ type: 'api', method: 'POST', path: 'v5/format', ...fields });
const email = (fields: object = {}) => ({ type: 'email', subject: 's', text: 't', to: [{ recipient: 'a@b.example' }], ...fields });
const ofInstruction = (instruction: unknown) =>
  problems(aSubscriptionInput({ instructions: [instruction] })).map((one) => one.replace('instructions.0', '_'));

describe('a subscription', () => {
  it.each(EVENT_NAMES)('listens to %s', (name) => {
    expect(problems(aSubscriptionInput({ name }))).toEqual([]);
  });

  it('is refused with every problem at once, down to the last member', () => {
    const instructions = [
      api({ method: 'HEAD', path: '/v4/token', expected: [{ path: 'a', value: 1 }, { path: 1 }], unknown: 1 }),
      email({ to: [{ recipient: 'a@b.example' }, { recipient: 'b', language: 'english!' }] }),
      https({ url: 'ftp', headers: { 'x a': 1, host: 'b' }, method: 'TRACE' }),
      'text',
      { type: 'sms' },
    ];
    const conditions = { methods: ['create', 'delete'], payload: [], other: 1 };
    expect(problems({ name: 's3success', flag: 1, notes: 7, conditions, instructions })).toEqual([
      'name is_in',
      'flag is_in',
      'instructions.0.method is_in',
      'instructions.0.path is_api_path',
      'instructions.0.expected.1.path type',
      'instructions.0.expected.1.value required',
      'instructions.1.to.1.recipient is_email',
      'instructions.1.to.1.language matches',
      'instructions.2.url is_url',
      'instructions.2.method is_in',
      'instructions.2.headers.x a type',
      'instructions.2.headers.host is_header',
      'instructions.3 type',
      'instructions.4.type is_in',
      'conditions.methods.1 is_in',
      'conditions.payload type',
      'notes type',
    ]);
  });

  it.each([
    [{}, ['name required', 'flag required', 'instructions required']],
    [aSubscriptionInput({ flag: '0' }), ['flag type']],
    [aSubscriptionInput({ instructions: {} }), ['instructions type']],
    [aSubscriptionInput({ instructions: [] }), ['instructions array_min_size']],
    [aSubscriptionInput({ instructions: Array.from({ length: 21 }, () => https()) }), ['instructions array_max_size']],
    [aSubscriptionInput({ instructions: Array.from({ length: 20 }, () => https()) }), []],
    [aSubscriptionInput({ instructions: [https({ payload: 'x'.repeat(65_536) })] }), ['instructions too_large']],
    [aSubscriptionInput({ instructions: [https({ payload: 'x'.repeat(65_000) })] }), []],
    [aSubscriptionInput({ conditions: [] }), ['conditions type']],
    [aSubscriptionInput({ conditions: { methods: [] } }), ['conditions.methods array_min_size']],
    [aSubscriptionInput({ conditions: { methods: ['create', 'create'] } }), ['conditions.methods array_unique']],
    [aSubscriptionInput({ conditions: { payload: { a: 'x'.repeat(4_096) } } }), ['conditions.payload too_large']],
    [aSubscriptionInput({ conditions: { payload: { a: [{ b: Number.POSITIVE_INFINITY }] } } }), ['conditions.payload.a.0.b is_finite']],
    [aSubscriptionInput({ notes: 'x'.repeat(10_001) }), ['notes max_length']],
    [aSubscriptionInput({ anything: 'else' }), []],
  ])('like %j has these problems', (input, expected) => {
    expect(problems(input)).toEqual(expected);
  });
});

describe('an api instruction', () => {
  it.each([
    api({ path: '/v5/format' }),
    api({ path: 'v5/mediacontainer/:mediaContainerId/releaseRequest?a=:b&c=..' }),
    api({ method: 'GET' }),
    api({ method: 'GET', payload: {} }),
    api({ method: 'put' }),
    api({ method: 'DELETE', payload: {} }),
    api({ payload: { a: ':b' }, expected: [{ path: 'a.0', value: null }], as: 'a_1' }),
    api({ payload: null, expected: null, as: null }),
    api({ expected: [] }),
  ])('like %j is fine', (instruction) => {
    expect(ofInstruction(instruction)).toEqual([]);
  });

  it.each([
    ['v4/token'],
    ['v5'],
    ['v5/'],
    ['v5//a'],
    ['//evil.example/v5/a'],
    ['https://evil.example/v5/a'],
    ['V5/a'],
    ['v5/../v4/token'],
    ['v5/a/..'],
    ['v5/.'],
    ['v5/%2e%2E/v4'],
    ['v5/.%2e?a'],
  ])('does not go to %s', (path) => {
    expect(ofInstruction(api({ path }))).toEqual(['_.path is_api_path']);
  });

  it.each([['v5/a b'], ['v5/a#b'], ['v5/a\\b'], ['v5/a\nb'], ['']])('does not go to %j', (path) => {
    expect(ofInstruction(api({ path }))).toEqual(['_.path matches']);
  });

  it.each([
    [api({ method: 'get', payload: { a: 1 } }), ['_.payload no_payload']],
    [api({ method: 7 }), ['_.method type']],
    [api({ method: undefined }), ['_.method required']],
    [api({ path: null }), ['_.path required']],
    [api({ payload: [] }), ['_.payload type']],
    [api({ path: `v5/${'a'.repeat(2_000)}` }), ['_.path max_length']],
    [api({ as: 'user' }), ['_.as matches']],
    [api({ as: '1a' }), ['_.as matches']],
    [api({ as: 'a-b' }), ['_.as matches']],
    [api({ expected: [{ path: '', value: 1 }] }), ['_.expected.0.path min_length']],
  ])('like %j has these problems', (instruction, expected) => {
    expect(ofInstruction(instruction)).toEqual(expected);
  });

  it('has a result with a unique name', () => {
    expect(problems(aSubscriptionInput({ instructions: [api({ as: 'a' }), api({ as: 'b' }), api({ as: 'a' })] }))).toEqual([
      'instructions.2.as name_taken',
    ]);
  });
});

describe('an email instruction', () => {
  it.each([
    email(),
    email({ subject: undefined, text: undefined, template: 'downloadLink', parameters: { url: ':a' } }),
    email({ subject: null, text: null, template: 'uploadComplete' }),
    email({ to: [{ recipient: ':user.email', language: 'de-AT' }, { recipient: 'x-:id@b.example' }] }),
  ])('like %j is fine', (instruction) => {
    expect(ofInstruction(instruction)).toEqual([]);
  });

  it.each([
    [email({ template: 'downloadLink' }), ['_.subject template_or_text', '_.text template_or_text']],
    [email({ subject: undefined }), ['_.subject template_or_text']],
    [email({ text: null }), ['_.text template_or_text']],
    [email({ subject: undefined, text: undefined }), ['_ template_or_text']],
    [email({ parameters: {} }), ['_.parameters template_or_text']],
    [email({ subject: undefined, text: undefined, template: 'other' }), ['_.template is_in']],
    [email({ subject: 'a\nb' }), ['_.subject matches']],
    [email({ subject: '' }), ['_.subject min_length']],
    [email({ to: [] }), ['_.to array_min_size']],
    [email({ to: undefined }), ['_.to required']],
    [email({ to: 'a@b.example' }), ['_.to type']],
    [email({ to: Array.from({ length: 51 }, () => ({ recipient: 'a@b.example' })) }), ['_.to array_max_size']],
    [email({ to: ['a@b.example'] }), ['_.to.0 type']],
    [email({ to: [{ recipient: 'a@b.example, c@d.example' }] }), ['_.to.0.recipient is_email']],
  ])('like %j has these problems', (instruction, expected) => {
    expect(ofInstruction(instruction)).toEqual(expected);
  });
});

describe('an https instruction', () => {
  it.each([
    https({ url: 'https://a.example:8443/:path?a=:b', method: 'GET' }),
    https({ headers: { authorization: 'Bearer :token', 'x-name': 'ü' }, payload: [1, null, 'a'] }),
    https({ headers: {}, payload: null, method: null }),
    https({ method: 'GET', payload: null }),
    https({ method: 'get', payload: {} }),
  ])('like %j is fine', (instruction) => {
    expect(ofInstruction(instruction)).toEqual([]);
  });

  it('sends no payload with GET', () => {
    expect(ofInstruction(https({ method: 'GET', payload: 0 }))).toEqual(['_.payload no_payload']);
  });

  it.each([
    ['https://:host/', 'is_url'],
    ['https://a.:name.example/', 'is_url'],
    ['https://a.example:port/', 'is_url'],
    [':url', 'is_url'],
    ['/hook', 'is_url'],
    ['https://a.example/#b', 'matches'],
    ['https://a.example/ b', 'matches'],
    ['https://a.\texample/', 'matches'],
    ['https://private.example/', 'is_reachable'],
    [`https://a.example/${'a'.repeat(2_048)}`, 'max_length'],
  ])('does not go to %s', (url, code) => {
    expect(ofInstruction(https({ url }))).toEqual([`_.url ${code}`]);
  });

  it.each([
    [{ 'x a': 'b' }, ['_.headers.x a is_header']],
    [{ 'x-a': 'b\r\nx-c: d' }, ['_.headers.x-a is_header']],
    [{ 'Webhook-Id': 'b' }, ['_.headers.Webhook-Id is_header']],
    [{ 'content-length': '1' }, ['_.headers.content-length is_header']],
    [{ Connection: 'close' }, ['_.headers.Connection is_header']],
    [{ 'proxy-authorization': 'b' }, ['_.headers.proxy-authorization is_header']],
    [{ 'x-a': '1', 'X-A': '2' }, ['_.headers.X-A array_unique']],
    [{ 'x-a': 1 }, ['_.headers.x-a type']],
    [{ 'x-a': 'b'.repeat(8_193) }, ['_.headers.x-a max_length']],
    [Object.fromEntries(Array.from({ length: 51 }, (_, index) => [`x-${index}`, 'a'])), ['_.headers max_members']],
    [['x-a'], ['_.headers type']],
  ])('with the headers %j has these problems', (headers, expected) => {
    expect(ofInstruction(https({ headers }))).toEqual(expected);
  });
});

const aPlainInput = { name: 'event:s3success', flag: 0, conditions: {}, instructions: [], notes: '' };

describe('the input of a subscription', () => {
  it('keeps all that is known, in the order in which it was sent', () => {
    const instructions = [
      { path: 'v5/format', type: 'api', method: 'POST', payload: { a: null }, expected: [{ path: 'a', value: null }], as: 'b' },
      { type: 'email', to: [{ recipient: 'a@b.example', language: 'de' }], template: 's3success', parameters: { a: 1 } },
      { type: 'email', to: [{ recipient: 'a@b.example' }], subject: 's', text: 't' },
      { type: 'https', url: 'https://a.example', method: 'PUT', headers: { a: 'b' }, payload: { unknown: 1 } },
    ];
    const input = { ...aPlainInput, conditions: { methods: ['create'], payload: { unknown: 1 } }, instructions, notes: 'n' };
    const wanted = toWantedSubscription(input);
    expect(wanted).toEqual(input);
    expect(JSON.stringify(wanted.instructions)).toBe(JSON.stringify(instructions));
  });

  it('drops unknown members at any depth', () => {
    const unknown = { unknown: 1 };
    const instructions = [
      { type: 'api', method: 'POST', path: 'v5/format', expected: [{ path: 'a', value: 1, ...unknown }], ...unknown },
      { type: 'email', to: [{ recipient: 'a@b.example', ...unknown }], subject: 's', text: 't', url: 'https://a.example' },
      { type: 'https', url: 'https://a.example', path: 'v5/format' },
    ];
    expect(toWantedSubscription({ ...aPlainInput, ...unknown, conditions: unknown, instructions })).toEqual({
      ...aPlainInput,
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
    expect(toWantedSubscription({ ...aPlainInput, conditions: { methods: null, payload: null }, instructions, notes: null })).toEqual({
      ...aPlainInput,
      instructions: [
        { type: 'api', method: 'GET', path: 'v5/format' },
        { type: 'https', url: 'https://a.example' },
      ],
    });
  });
});
