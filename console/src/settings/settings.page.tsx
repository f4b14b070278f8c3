import { NativeSelect, Stack, Title, useMantineColorScheme } from '@mantine/core';
import { useContext } from 'react';
import { type Language, LanguageContext, messages } from '../language';

const useMessages = messages({
  en: {
    title: 'Settings',
    language: 'Language',
    languages: { en: 'English', de: 'German' } satisfies Record<Language, string>,
    colors: 'Colours',
    schemes: { auto: 'As in the browser', light: 'Light', dark: 'Dark' },
  },
  de: {
    title: 'Einstellungen',
    language: 'Sprache',
    languages: { en: 'Englisch', de: 'Deutsch' },
    colors: 'Farben',
    schemes: { auto: 'Wie im Browser', light: 'Hell', dark: 'Dunkel' },
  },
});

const options = (labels: Readonly<Record<string, string>>) => Object.entries(labels).map(([value, label]) => ({ value, label }));

/** What this browser shows: language and colours. */
export function SettingsPage() {
  const text = useMessages();
  const { language, choose } = useContext(LanguageContext);
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
    <Stack maw={420}>
      <Title order={1} size="h2">
        {text.title}
      </Title>
      <NativeSelect
        label={text.language}
        value={language}
        data={options(text.languages)}
        onChange={(event) => choose(event.currentTarget.value as Language)}
      />
      <NativeSelect
        label={text.colors}
        value={colorScheme}
        data={options(text.schemes)}
        onChange={(event) => setColorScheme(event.currentTarget.value as typeof colorScheme)}
      />
    </Stack>
  );
}
