import { Card, Code, List, Skeleton, Stack, Table, Text, Title } from '@mantine/core';
import { Failure } from '../elements/page-states';
import { WideTable } from '../elements/wide-table';
import { useMessages } from './formats.messages';
import { type Explanation, useExplanation } from './queries';

/** Where each parameter of a format comes from, and with an original (`mediaId`) the commands that make it. */
export function ExplainFormat({ id, mediaId }: { id: number; mediaId: number | undefined }) {
  const text = useMessages();
  const found = useExplanation(id, mediaId);
  return (
    <Card withBorder>
      <Stack>
        {found.isError && <Failure error={found.error} onRetry={() => void found.refetch()} />}
        {found.isPending && <Skeleton height={120} aria-label={text.loading} />}
        {found.data?.media && <Commands media={found.data.media} />}
        {found.data && found.data.parameters.length > 0 && <Parameters parameters={found.data.parameters} />}
        {found.data && found.data.parameters.length === 0 && <Text>{text.noParameters}</Text>}
      </Stack>
    </Card>
  );
}

function Parameters({ parameters }: Pick<Explanation, 'parameters'>) {
  const text = useMessages();
  return (
    <>
      <Title order={2} size="h4">
        {text.explain}
      </Title>
      <WideTable minWidth={560} label={text.explain}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{text.parameter}</Table.Th>
            <Table.Th>{text.value}</Table.Th>
            <Table.Th>{text.source}</Table.Th>
            <Table.Th>{text.used}</Table.Th>
            <Table.Th>{text.reason}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {parameters.map(({ command, value, source, used, reason }) => (
            <Table.Tr key={`${source} ${command}`}>
              <Table.Td className="foreign">{command}</Table.Td>
              <Table.Td className="foreign">{String(value)}</Table.Td>
              <Table.Td>{text.sources[source]}</Table.Td>
              <Table.Td>{used ? text.yes : text.no}</Table.Td>
              <Table.Td className="foreign">{reason}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </WideTable>
    </>
  );
}

function Commands({ media }: { media: NonNullable<Explanation['media']> }) {
  const text = useMessages();
  return (
    <>
      <Title order={2} size="h4">
        {text.commands}
      </Title>
      <Text>{text.results[media.result]}</Text>
      {media.reason && <Text className="foreign">{media.reason}</Text>}
      {media.steps.map((step, n) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: steps have no other identity than their order
        <section key={n}>
          <Text fw={600} className="foreign">
            {step.program} ({text.times(step.times)})
          </Text>
          <Text size="sm" className="foreign">
            {step.reason}
          </Text>
          <List size="sm" mt={4} spacing={4}>
            {step.arguments.map((argument, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: arguments may repeat; their order is their identity
              <List.Item key={index} className="foreign">
                {argument.arguments.length > 0 && <Code>{argument.arguments.join(' ')}</Code>} {argument.reason}
              </List.Item>
            ))}
          </List>
        </section>
      ))}
    </>
  );
}
