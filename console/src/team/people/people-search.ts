import { ADMINISTRATOR } from '../../shell/levels';
import type { Person } from './queries';

/** Which people a list shows. */
export const SHOWN = ['all', 'administrators', 'services', 'disabled'] as const;
export type Shown = (typeof SHOWN)[number];

/** What the address of a list of people says. Absent: all. */
export interface PeopleSearch {
  readonly search?: string;
  readonly show?: Exclude<Shown, 'all'>;
}

/** Reads the query of an address; what it does not know is left out. Values that consist of digits only are read from an address as numbers. */
export function readPeopleSearch({ search, show }: Record<string, unknown>): PeopleSearch {
  const words = typeof search === 'string' || typeof search === 'number' ? String(search) : '';
  const known = SHOWN.find((value) => value === show);
  return { ...(words && { search: words }), ...(known && known !== 'all' && { show: known }) };
}

/** What the address of a new person says: the customer, which operators choose. */
export interface NewPersonSearch {
  readonly customer?: number;
}

export const readNewPersonSearch = ({ customer }: Record<string, unknown>): NewPersonSearch =>
  Number.isInteger(customer) ? { customer: customer as number } : {};

/** The name of a person, or the address of one who has none. */
export const nameOf = ({ firstname, lastname, email }: Pick<Person, 'firstname' | 'lastname' | 'email'>): string =>
  `${firstname} ${lastname}`.trim() || email;

/** The people that a search finds by name or address, in the order of their names. */
export function findPeople(people: readonly Person[], { search = '', show }: PeopleSearch, language: string): Person[] {
  const words = fold(search).split(/\s+/).filter(Boolean);
  const matches = (person: Person) => {
    const text = fold(`${person.firstname} ${person.lastname} ${person.email}`);
    return words.every((word) => text.includes(word)) && isShown(person, show);
  };
  const { compare } = new Intl.Collator(language);
  return people.filter(matches).sort((a, b) => compare(nameOf(a), nameOf(b)) || a.id - b.id);
}

function isShown({ adminLevel, kind, disabledAt }: Person, show: PeopleSearch['show']): boolean {
  if (show === 'administrators') return adminLevel >= ADMINISTRATOR;
  if (show === 'services') return kind === 'service';
  return show !== 'disabled' || disabledAt !== null;
}

/** Without case and accents, so that "jose" finds "José". */
const fold = (text: string): string => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
