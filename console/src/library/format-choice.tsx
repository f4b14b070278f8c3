import { MultiSelect } from '@mantine/core';
import { MAX_NAME } from '../elements/max-name';
import type { MediaType } from '../elements/media-types';
import { useFormatList } from '../formats/queries';
import { messages } from '../language';

const useMessages = messages({
  en: { formats: 'Formats to make', placeholder: 'Choose formats', nothing: 'No format matches' },
  de: { formats: 'Zu erzeugende Formate', placeholder: 'Formate auswählen', nothing: 'Kein Format passt' },
});

interface Props {
  readonly value: readonly number[];
  readonly onChange: (formatIds: number[]) => void;
  /** Only formats that take all of these types; empty: any. */
  readonly types?: readonly string[];
  readonly error?: string | undefined;
}

/** Chooses the formats into which media are converted; those that this installation cannot make are left out. */
export function FormatChoice({ value, onChange, types = [], error }: Props) {
  const text = useMessages();
  const { data: formats } = useFormatList();
  const fitting = (formats ?? []).filter(
    ({ converter, flag, available, settings }) =>
      converter !== 'original' &&
      flag !== 1 &&
      available &&
      types.every((type) => (settings.mediaTypes as readonly string[] | undefined)?.includes(type as MediaType)),
  );
  return (
    <MultiSelect
      label={text.formats}
      placeholder={value.length === 0 ? text.placeholder : undefined}
      nothingFoundMessage={text.nothing}
      data={fitting.map(({ id, name }) => ({ value: String(id), label: name.slice(0, MAX_NAME) }))}
      value={value.map(String)}
      onChange={(ids) => onChange(ids.map(Number))}
      error={error}
      searchable
      maxValues={50}
    />
  );
}
