import { Select, type SelectProps } from '@mantine/core';
import { MAX_NAME } from '../../elements/max-name';
import { useLanguage } from '../../language';
import { useMessages } from '../access-keys/access-keys.messages';
import { findPeople, nameOf } from './people-search';
import { usePeople } from './queries';

/** Suggestions that are shown; typing another letter narrows them. */
const SUGGESTIONS = 50;

/** Chooses a person or service of the own customer, by name or address. Its value is the id, as text; unknown ids are shown as they are. */
export function PersonSelect({ value, ...props }: Omit<SelectProps, 'data' | 'filter' | 'value'> & { value: string | null }) {
  const text = useMessages();
  const language = useLanguage();
  const { items: people } = usePeople();
  const known = findPeople(people ?? [], {}, language).map((person) => {
    const name = nameOf(person);
    return { value: String(person.id), label: (name === person.email ? name : `${name} (${person.email})`).slice(0, MAX_NAME) };
  });
  const data = value && !known.some((one) => one.value === value) ? [{ value, label: text.numbered(Number(value)) }, ...known] : known;
  return (
    <Select searchable openOnFocus={false} nothingFoundMessage={text.nothing} limit={SUGGESTIONS} data={data} value={value} {...props} />
  );
}
