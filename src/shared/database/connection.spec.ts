import { describe, expect, it } from '@jest/globals';
import { isDatabaseDown } from '../errors.js';
import { SnakeCaseNamingStrategy } from './connection.js';

const names = new SnakeCaseNamingStrategy();

describe('names in the database', () => {
  it('are those of the entities in snake_case', () => {
    expect(names.tableName('OidcRecord', undefined)).toBe('oidc_record');
    expect(['id', 'userId', 'passwordHash', 'ipWhiteList'].map((name) => names.columnName(name, undefined, []))).toEqual([
      'id',
      'user_id',
      'password_hash',
      'ip_white_list',
    ]);
    expect(names.joinColumnName('createdBy', 'userId')).toBe('created_by_user_id');
  });

  it('are taken as they are where an entity gives them', () => {
    expect(names.tableName('OidcRecord', 'oidc_records')).toBe('oidc_records');
    expect(names.columnName('userId', 'owner', [])).toBe('owner');
  });

  it('keep the parts of an embedded object apart', () => {
    expect(names.columnName('streetName', undefined, ['homeAddress'])).toBe('home_address_street_name');
    expect(names.columnName('street', undefined, ['user', 'address'])).toBe('user_address_street');
    expect(names.columnName('street', 'road', ['address'])).toBe('address_road');
  });
});

const withCode = (code: string) => Object.assign(new Error('words'), { code });

describe('a failed statement', () => {
  it.each([
    '08000',
    '08006',
    '25006',
    '57P01',
    '57P02',
    '57P03',
    '53300',
    '53400',
    'ECONNREFUSED',
    'ECONNRESET',
    'EPIPE',
    'ETIMEDOUT',
    'ENOTFOUND',
  ])('says by %s that the database is down', (code) => {
    expect(isDatabaseDown(withCode(code))).toBe(true);
  });

  it.each([
    'Connection terminated unexpectedly',
    'Connection terminated',
    'Connection terminated due to connection timeout',
    'timeout exceeded when trying to connect',
    'Client has encountered a connection error and is not queryable',
    'Query runner already released. Cannot run queries anymore.',
  ])('is recognised by the message "%s"', (words) => {
    expect(isDatabaseDown(new Error(words))).toBe(true);
  });

  it.each(['23505', '42P01', '22P02', '40P01', 'EACCES', 'ERR_INVALID_ARG_TYPE'])('says by %s that something else is wrong', (code) => {
    expect(isDatabaseDown(withCode(code))).toBe(false);
  });

  it.each([
    undefined,
    null,
    'ECONNREFUSED',
    { code: 'ECONNREFUSED' },
    new Error('ECONNREFUSED'),
    Object.assign(new Error(), { code: 8006 }),
  ])('is not recognised in %p', (error) => {
    expect(isDatabaseDown(error)).toBe(false);
  });
});
