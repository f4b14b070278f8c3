import {
  Alert,
  Autocomplete,
  Badge,
  Button,
  Card,
  Checkbox,
  Group,
  NativeSelect,
  SimpleGrid,
  Stack,
  Table,
  Text,
  TextInput,
  Title,
} from '@mantine/core';
import { useForm } from '@mantine/form';
import { ProblemError } from '@media-delivery/sdk';
import { useState } from 'react';
import { useDraft } from '../elements/drafts';
import { Failure } from '../elements/page-states';
import { WideTable } from '../elements/wide-table';
import { useFormatList } from '../formats/queries';
import { useCredentialSuggestions } from './access-fields';
import { useMessages } from './configurations.messages';
import { type Configuration, type Explanation, useSimulation, type Viewer } from './queries';

const NEW_VIEWER = {
  ip: '',
  referer: '',
  host: '',
  userLoggedIn: false,
  oauthClientId: '',
  extAuthAccessKey: '',
  formatId: '',
  download: false,
};
type ViewerValues = typeof NEW_VIEWER;

/** The viewer to ask about; empty fields are what the viewer does not have. */
function toViewer({ ip, formatId, userLoggedIn, download, ...texts }: ViewerValues): Viewer {
  const described = Object.fromEntries(Object.entries(texts).filter(([, value]) => value !== ''));
  return { ip: ip.trim(), userLoggedIn, ...described, ...(formatId !== '' && { formatId: Number(formatId), download }) };
}

/** Asks whether a described viewer gets in, and shows the result of each rule. */
export function Simulator({ configuration }: { configuration: Pick<Configuration, 'id' | 'formats'> }) {
  const text = useMessages();
  const { data: formats } = useFormatList();
  const { clientIds, accessKeys } = useCredentialSuggestions();
  const { mutateAsync, data: explanation, isPending } = useSimulation(configuration.id);
  const [error, setError] = useState<unknown>(null);
  const keep = (): ViewerValues | undefined => (form.isDirty() ? form.getValues() : undefined);
  const draft: ViewerValues | undefined = useDraft(`simulator ${configuration.id}`, keep);
  const form = useForm<ViewerValues>({ initialValues: draft ?? NEW_VIEWER, validate: { ip: (ip) => (ip.trim() ? null : text.ipMissing) } });
  const ask = form.onSubmit(async (values) => {
    setError(null);
    await mutateAsync(toViewer(values)).catch((thrown: unknown) => {
      const problems = thrown instanceof ProblemError ? thrown.errors : [];
      form.setErrors(Object.fromEntries(problems.map(({ path, message }) => [path, message])));
      if (!problems.some(({ path }) => path in NEW_VIEWER)) setError(thrown);
    });
  });
  const names = new Map(formats?.map(({ id, name }) => [id, name]));
  const delivered =
    configuration.formats?.map(({ formatId: id }) => ({ value: String(id), label: names.get(id) ?? text.formatOf(id) })) ?? [];
  return (
    <Card withBorder>
      <Stack>
        <div>
          <Title order={2} size="h4">
            {text.simulator}
          </Title>
          <Text size="sm">{text.simulatorHint}</Text>
        </div>
        <form onSubmit={ask} noValidate>
          <Stack>
            <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }}>
              <TextInput label={text.ip} placeholder="203.0.113.7" required {...form.getInputProps('ip')} />
              <TextInput label={text.referer} placeholder="https://www.example.com/news" {...form.getInputProps('referer')} />
              <TextInput label={text.viewerHost} placeholder={text.hostDefault} {...form.getInputProps('host')} />
              <Autocomplete label={text.tokenOf} data={clientIds} {...form.getInputProps('oauthClientId')} />
              <Autocomplete label={text.keyOf} data={accessKeys} {...form.getInputProps('extAuthAccessKey')} />
              <NativeSelect
                label={text.format}
                data={[{ value: '', label: text.page }, ...delivered]}
                {...form.getInputProps('formatId')}
              />
            </SimpleGrid>
            <Group>
              <Checkbox label={text.userLoggedIn} {...form.getInputProps('userLoggedIn', { type: 'checkbox' })} />
              <Checkbox
                label={text.download}
                disabled={form.values.formatId === ''}
                {...form.getInputProps('download', { type: 'checkbox' })}
              />
            </Group>
            <Button type="submit" loading={isPending} w="fit-content">
              {text.ask}
            </Button>
          </Stack>
        </form>
        {error !== null && <Failure error={error} />}
        {explanation && <Result explanation={explanation} />}
      </Stack>
    </Card>
  );
}

/** Whether the viewer gets in, and the result of each rule. */
function Result({ explanation }: { explanation: Explanation }) {
  const text = useMessages();
  return (
    <>
      <Alert
        role="status"
        variant="outline"
        styles={{ title: { color: 'var(--mantine-color-text)' } }}
        color={explanation.allowed ? 'green' : 'red'}
        title={explanation.rule ? text.refused(text.rules[explanation.rule]) : text.allowed}
      />
      <WideTable minWidth={520} label={text.simulator}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{text.rule}</Table.Th>
            <Table.Th>{text.result}</Table.Th>
            <Table.Th>{text.detail}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {explanation.rules.map(({ rule, result, detail }) => (
            <Table.Tr key={rule}>
              <Table.Td>{text.rules[rule]}</Table.Td>
              <Table.Td>
                <Badge miw="max-content" variant={result === 'failed' ? 'filled' : 'default'} color="red">
                  {text.results[result]}
                </Badge>
              </Table.Td>
              <Table.Td className="foreign">{detail}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </WideTable>
    </>
  );
}
