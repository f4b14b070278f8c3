import { SimpleGrid, Stack, TagsInput, Textarea, TextInput } from '@mantine/core';
import { lengthOf } from '../elements/input-limits';
import { messages } from '../language';
import type { LicenseValues } from './license';

const useMessages = messages({
  en: {
    name: 'Name of the licence',
    usageTerms: 'Terms of use',
    start: 'Valid from',
    end: 'Valid to',
    endHint: 'Links stop working after this day (UTC).',
    types: 'Permitted uses',
    typesHint: 'Press Enter after each',
  },
  de: {
    name: 'Name der Lizenz',
    usageTerms: 'Nutzungsbedingungen',
    start: 'Gültig ab',
    end: 'Gültig bis',
    endHint: 'Nach diesem Tag (UTC) funktionieren Links nicht mehr.',
    types: 'Erlaubte Nutzungen',
    typesHint: 'Nach jeder Enter drücken',
  },
});

interface Props {
  readonly value: LicenseValues;
  readonly onChange: (value: LicenseValues) => void;
  /** Errors by the path of their field, such as `license.end`. */
  readonly errors?: Readonly<Record<string, unknown>>;
}

/** The terms under which media may be used, and when they begin and end. */
export function LicenseFields({ value, onChange, errors = {} }: Props) {
  const text = useMessages();
  const field = (name: 'name' | 'usageTerms' | 'start' | 'end') => ({
    label: text[name],
    value: value[name],
    error: errors[`license.${name}`] as string | undefined,
    onChange: (event: React.ChangeEvent<HTMLInputElement | HTMLTextAreaElement>) =>
      onChange({ ...value, [name]: event.currentTarget.value }),
  });
  return (
    <Stack gap="sm">
      <TextInput {...lengthOf('LicenseDto', 'name')} {...field('name')} />
      <Textarea autosize minRows={2} maxRows={8} {...lengthOf('LicenseDto', 'usageTerms')} {...field('usageTerms')} />
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        <TextInput type="date" {...field('start')} />
        <TextInput
          type="date"
          description={text.endHint}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          {...field('end')}
        />
      </SimpleGrid>
      <TagsInput
        label={text.types}
        placeholder={text.typesHint}
        value={value.types}
        onChange={(types) => onChange({ ...value, types })}
        error={errors['license.types'] as string | undefined}
        acceptValueOnBlur
        maxTags={100}
      />
    </Stack>
  );
}
