import { describe, expect, it } from '@jest/globals';
import { findPeople, nameOf, readPeopleSearch } from './people-search.js';
import type { Person } from './queries.js';

const person = (id: number, overrides: Partial<Person>) =>
  ({
    id,
    email: `user${id}@example.org`,
    firstname: '',
    lastname: '',
    adminLevel: 0,
    kind: 'person',
    disabledAt: null,
    ...overrides,
  }) as Person;

const people = [
  person(1, { firstname: 'José', lastname: 'Ruiz' }),
  person(2, { firstname: 'Ada', lastname: 'Lovelace', adminLevel: 9 }),
  person(3, { kind: 'service', disabledAt: '2026-01-01T00:00:00Z' }),
];
const idsOf = (search: object) => findPeople(people, readPeopleSearch({ ...search }), 'en').map(({ id }) => id);

describe('the search for people', () => {
  it('finds parts of names and addresses in any order, without case and accents', () => {
    expect(idsOf({ search: 'ruiz jose' })).toEqual([1]);
    expect(idsOf({ search: 'USER2@' })).toEqual([2]);
    expect(idsOf({ search: 3 })).toEqual([3]);
    expect(idsOf({ search: 'nobody' })).toEqual([]);
  });

  it('sorts by name, and by address where there is no name', () => {
    expect(idsOf({})).toEqual([2, 1, 3]);
    expect(people.map(nameOf)).toEqual(['José Ruiz', 'Ada Lovelace', 'user3@example.org']);
  });

  it('shows administrators, services or disabled users only', () => {
    expect([idsOf({ show: 'administrators' }), idsOf({ show: 'services' }), idsOf({ show: 'disabled' })]).toEqual([[2], [3], [3]]);
  });

  it('leaves out of an address what it does not know', () => {
    expect(readPeopleSearch({ search: { a: 1 }, show: 'everything' })).toEqual({});
  });
});
