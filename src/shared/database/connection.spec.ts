import { describe, expect, it } from '@jest/globals';
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
