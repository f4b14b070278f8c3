import { TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useEffect, useState } from 'react';
import { SearchIcon } from './icons';

/** Long enough for most people to type the next letter. */
const TYPING_MS = 250;

interface Props {
  readonly label: string;
  readonly description?: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** A field for words to search for, which reports them when the person has stopped typing. */
export function SearchField({ label, description, value, onChange }: Props) {
  const [typed, setTyped] = useState(value);
  useEffect(() => setTyped(value), [value]);
  const report = useDebouncedCallback(onChange, TYPING_MS);
  return (
    <TextInput
      type="search"
      label={label}
      description={description}
      leftSection={<SearchIcon size={18} />}
      value={typed}
      onChange={({ currentTarget }) => {
        setTyped(currentTarget.value);
        report(currentTarget.value);
      }}
      flex="1 1 220px"
      maw={420}
    />
  );
}
