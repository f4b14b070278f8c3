import { Badge, Card, Stack, Table, Text, Title } from '@mantine/core';
import { MAX_NAME } from '../elements/max-name';
import { WideTable } from '../elements/wide-table';
import { useFormatList } from '../formats/queries';
import { useFormats } from '../language';
import { useMessages } from './medium.messages';
import { useJobs } from './queries';

/** More are on the page of all activity. */
const MAX_JOBS = 20;

/** What was done with a medium, newest first. */
export function History({ id }: { id: number }) {
  const text = useMessages();
  const { dateTime } = useFormats();
  const { data: jobs } = useJobs(id);
  const { data: formats } = useFormatList();
  const names = new Map(formats?.map((format) => [format.id, format.name.slice(0, MAX_NAME)]));
  if (!jobs || jobs.length === 0) return null;
  return (
    <Card withBorder component="section" aria-label={text.activity}>
      <Stack gap="sm">
        <Title order={2} size="h4">
          {text.activity}
        </Title>
        <WideTable minWidth={480} label={text.activity}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{text.what}</Table.Th>
              <Table.Th>{text.state}</Table.Th>
              <Table.Th>{text.when}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {jobs.slice(0, MAX_JOBS).map(({ jobId, type, formatId, status, message, createdAt }) => (
              <Table.Tr key={`${jobId} ${createdAt}`}>
                <Table.Td className="foreign">
                  {[text.jobs[type], formatId ? names.get(formatId) : null].filter(Boolean).join(': ')}
                </Table.Td>
                <Table.Td>
                  <Badge variant="default" miw="max-content">
                    {text.jobStates[status]}
                  </Badge>
                  {message && (
                    <Text size="sm" className="foreign">
                      {message}
                    </Text>
                  )}
                </Table.Td>
                <Table.Td>{dateTime(createdAt)}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </WideTable>
      </Stack>
    </Card>
  );
}
