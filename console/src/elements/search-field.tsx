import { CloseButton, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useCallback, useEffect, useRef, useState } from 'react';
import { messages } from '../language';
import { SearchIcon } from './icons';
import { useShortcut } from './use-shortcut';

const useMessages = messages({ en: { clear: 'Clear the search' }, de: { clear: 'Suche leeren' } });

/** Long enough for most people to type the next letter. */
export const TYPING_MS = 250;

interface Props {
  readonly label: string;
  readonly description?: string;
  readonly value: string;
  /** Characters that the service takes. */
  readonly maxLength?: number;
  /** A key that leads to the field. */
  readonly shortcut?: string;
  /** Absent: as wide as words usually need. */
  readonly maw?: string;
  readonly onChange: (value: string) => void;
}

/** A field for words to search for, which reports them when the person has stopped typing, or clears it. */
export function SearchField({ label, description, value, maxLength, shortcut, maw, onChange }: Props) {
  const text = useMessages();
  const [typed, setTyped] = useState(value);
  useEffect(() => setTyped(value), [value]);
  const field = useRef<HTMLInputElement>(null);
  const report = useDebouncedCallback(onChange, TYPING_MS);
  useShortcut(
    shortcut,
    useCallback(() => field.current?.focus(), []),
  );
  const clear = () => {
    report.cancel();
    setTyped('');
    onChange('');
    field.current?.focus();
  };
  return (
    <TextInput
      ref={field}
      type="search"
      aria-keyshortcuts={shortcut}
      maxLength={maxLength}
      label={label}
      description={description}
      leftSection={<SearchIcon size={18} />}
      value={typed}
      onChange={({ currentTarget }) => {
        setTyped(currentTarget.value);
        report(currentTarget.value);
      }}
      rightSection={typed && <CloseButton size="sm" aria-label={text.clear} onClick={clear} />}
      flex="1 1 220px"
      maw={maw ?? 420}
    />
  );
}
