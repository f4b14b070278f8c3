import { NativeSelect, SimpleGrid, Stack, Title, useMantineColorScheme } from '@mantine/core';
import { type ReactNode, useContext } from 'react';
import { Loaded, PageHead } from '../elements/list-page';
import { type Language, LanguageContext } from '../language';
import { ADMINISTRATOR } from '../shell/levels';
import { useMe } from '../shell/me';
import { CustomerForm } from './customer-form';
import { useCustomer } from './queries';
import { useMessages } from './settings.messages';
import { UsageTable } from './usage-table';

const options = (labels: Readonly<Record<string, string>>) => Object.entries(labels).map(([value, label]) => ({ value, label }));

/** What this browser shows, what the customer uses, and for administrators the customer itself. */
export function SettingsPage() {
  const text = useMessages();
  const { adminLevel } = useMe();
  return (
    <Stack>
      <PageHead title={text.title} />
      <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="xl">
        <Stack gap="xl">
          <Section title={text.browser}>
            <BrowserFields />
          </Section>
          {adminLevel >= ADMINISTRATOR && (
            <Section title={text.customer}>
              <Customer />
            </Section>
          )}
        </Stack>
        <Section title={text.usage}>
          <UsageTable />
        </Section>
      </SimpleGrid>
    </Stack>
  );
}

function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Stack component="section" maw={560}>
      <Title order={2} size="h3">
        {title}
      </Title>
      {children}
    </Stack>
  );
}

function Customer() {
  return <Loaded found={useCustomer()}>{(customer) => <CustomerForm found={customer} />}</Loaded>;
}

function BrowserFields() {
  const text = useMessages();
  const { language, choose } = useContext(LanguageContext);
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
    <>
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
    </>
  );
}
