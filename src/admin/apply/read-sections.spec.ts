import { describe, expect, it } from '@jest/globals';
import { readSections } from './read-sections.js';

const user = { email: 'ada@example.org', customer: 'Acme', firstname: 'Ada', lastname: 'Lovelace' };
const client = { clientId: 'portal', name: 'Portal', type: 'web', redirectUris: ['https://portal.example/callback'] };

const problemsOf = (document: Record<string, unknown>) => readSections(document).problems.map(({ path, message }) => `${path}: ${message}`);

describe('the sections of a provisioning file', () => {
  it('may be left out, and their optional fields too', () => {
    expect(readSections({})).toEqual({
      drafts: { customers: [], users: [], clients: [], accessKeys: [], identityProviders: [], dropsites: [] },
      problems: [],
    });
    expect(problemsOf({ customers: [{ name: 'Acme' }], users: [user], clients: [client] })).toEqual([]);
  });

  it('are known by name, and their fields too', () => {
    expect(problemsOf({ custommers: [], customers: [{ name: 'Acme', Operator: true }] })).toEqual([
      'custommers: is not a known section; known are customers, users, clients, accessKeys, identityProviders, dropsites',
      'customers.0.Operator: is not a known field; known are name, operator, quotas, supportAccessUntil, requireSecondFactor',
    ]);
  });

  it('take no member of an object for a known name', () => {
    const document = JSON.parse('{"__proto__":[],"constructor":[],"users":[{"__proto__":1,"toString":1}]}');
    expect(problemsOf(document)).toEqual(
      expect.arrayContaining([expect.stringMatching(/^__proto__: is not/), expect.stringMatching(/^constructor: is not/)]),
    );
    expect(problemsOf(document)).toEqual(expect.arrayContaining([expect.stringMatching(/^users\.0\.__proto__: is not a known field/)]));
  });

  it.each([[null], ['text'], [5], [['nested']]])('hold objects, not %j', (entry) => {
    expect(problemsOf({ customers: [entry] })).toEqual(['customers.0: must be an object with named fields']);
  });

  it.each([[null], ['text'], [{ name: 'Acme' }]])('are lists, not %j', (section) => {
    expect(problemsOf({ customers: section })).toEqual(['customers: must be a list']);
  });

  it('report a missing field', () => {
    const fields = ['email', 'customer', 'firstname', 'lastname'];
    expect(problemsOf({ users: [{}] })).toEqual(fields.map((name) => `users.0.${name}: is required`));
  });

  it('report every invalid item of a list', () => {
    const redirectUris = ['https://portal.example/callback', 5, null];
    expect(problemsOf({ clients: [{ ...client, redirectUris, grantTypes: ['authorization_code', 'implicit'] }] })).toEqual([
      'clients.0.redirectUris.1: must be a string (in YAML, put a number or a date into quotes)',
      'clients.0.redirectUris.2: must be a string (in YAML, put a number or a date into quotes)',
      'clients.0.grantTypes.1: must be one of the following values: authorization_code, refresh_token, client_credentials',
    ]);
  });

  it.each([
    ['operator', 'yes', 'must be true or false'],
    ['operator', null, 'must be true or false'],
    ['supportAccessUntil', '2030-02-31', 'must be a date and time with an offset'],
    ['supportAccessUntil', '2030-01-01T00:00:00', 'must be a date and time with an offset'],
    ['supportAccessUntil', 1_893_456_000, 'must be a string'],
    ['name', ' Acme', 'must not begin or end with a space'],
    ['name', 'Acme\0', 'must be one line'],
    ['name', 5, 'must be a string'],
  ])('refuse a customer with %s %j', (name, value, problem) => {
    expect(problemsOf({ customers: [{ name: 'Acme', [name]: value }] })).toEqual([
      expect.stringContaining(`customers.0.${name}: ${problem}`),
    ]);
  });

  it.each([[null], ['2030-01-31'], ['2030-01-31T18:00Z'], ['2030-01-31T18:00:00.5+02:00']])(
    'accept support access until %j',
    (supportAccessUntil) => {
      expect(problemsOf({ customers: [{ name: 'Acme', supportAccessUntil }] })).toEqual([]);
    },
  );

  it.each([
    ['email', 'ada', 'must be an e-mail address'],
    ['password', '', 'must be one line of text and not empty'],
    ['password', 12345, 'must be a string'],
    ['password', null, 'must be a string'],
    ['password', 'x'.repeat(4_097), 'must be shorter than or equal to 4096 characters'],
    ['adminLevel', -1, 'must not be less than 0'],
    ['adminLevel', 1.5, 'must be a whole number'],
    ['adminLevel', '9', 'must be a whole number'],
    ['adminLevel', 2_147_483_648, 'must not be greater than'],
  ])('refuse a user with %s %j', (name, value, problem) => {
    expect(problemsOf({ users: [{ ...user, [name]: value }] })).toEqual([expect.stringContaining(`users.0.${name}: ${problem}`)]);
  });

  it.each([
    ['clientId', 'pörtal', 'must be printable ASCII'],
    ['clientSecret', '', 'must be printable ASCII'],
    ['clientSecret', 'geheim\n', 'must be printable ASCII'],
    ['type', 'native', 'must be one of the following values: web, mobile, desktop'],
    ['redirectUris', 'https://portal.example/callback', 'must be a list'],
    ['grantTypes', null, 'must be a list'],
    ['firstParty', 1, 'must be true or false'],
  ])('refuse a client with %s %j', (name, value, problem) => {
    expect(problemsOf({ clients: [{ ...client, [name]: value }] })).toEqual([expect.stringContaining(`clients.0.${name}: ${problem}`)]);
  });

  it('declare nothing twice; e-mail addresses are compared without case', () => {
    expect(problemsOf({ users: [user, { ...user, email: 'Ada@Example.org' }], clients: [client, client] })).toEqual([
      'users.1.email: is the same as users.0.email',
      'clients.1.clientId: is the same as clients.0.clientId',
    ]);
  });
});
