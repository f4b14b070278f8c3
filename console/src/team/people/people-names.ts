import { useMemo } from 'react';
import { nameOf } from './people-search';
import { usePeople } from './queries';

/** The names of the people of the own customer, by their ids. */
export function usePeopleNames(): ReadonlyMap<number, string> {
  const { items: people } = usePeople();
  return useMemo(() => new Map(people?.map((person) => [person.id, nameOf(person)])), [people]);
}
