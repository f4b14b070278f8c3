import { Badge, Button, Card, Progress, Stack, Table, Text, Title } from '@mantine/core';
import { notifyFailure } from '../elements/notify';
import { WideTable } from '../elements/wide-table';
import { useFormatList } from '../formats/queries';
import { originalOf } from '../formats/try-format';
import { useFormats } from '../language';
import type { Container } from '../library/queries';
import { useMessages } from './medium.messages';
import { openItem, useJobs } from './queries';

/** The original, its renditions and tracks, and what is being made of it. */
export function Files({ container }: { container: Container }) {
  const text = useMessages();
  const { size, duration } = useFormats();
  const { data: jobs } = useJobs(container.id);
  const { data: formats } = useFormatList();
  const original = originalOf(container, formats ?? []);
  const names = new Map(formats?.map(({ id, name }) => [id, name]));
  const running = jobs?.filter(({ status }) => status === 'running') ?? [];
  const failed = jobs?.filter(({ status }) => status === 'failed').slice(0, 3) ?? [];
  const nameOf = ({ fileName, fileExtension }: Container['media'][number]) => `${fileName.slice(0, 300)}.${fileExtension}`;
  const open = (mediaId: number) => void openItem(container.id, mediaId).catch((error: unknown) => notifyFailure(text.notOpened, error));
  return (
    <Card withBorder>
      <Stack gap="sm">
        <Title order={2} size="h4">
          {text.files}
        </Title>
        <WideTable minWidth={560} label={text.files}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{text.file}</Table.Th>
              <Table.Th>{text.kind}</Table.Th>
              <Table.Th>{text.dimensions}</Table.Th>
              <Table.Th>{text.size}</Table.Th>
              <Table.Th />
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {container.media.map((item) => (
              <Table.Tr key={item.id}>
                <Table.Td className="foreign" dir="auto">
                  {nameOf(item)}
                </Table.Td>
                <Table.Td>
                  {item.id === original?.id ? (
                    <Badge variant="default">{text.original}</Badge>
                  ) : (
                    [item.role, item.formatId === null ? null : names.get(item.formatId), item.language, item.codec]
                      .filter(Boolean)
                      .join(' · ')
                  )}
                </Table.Td>
                <Table.Td>
                  {item.width && item.height ? `${item.width} × ${item.height}` : ''} {item.duration ? duration(item.duration) : ''}
                </Table.Td>
                <Table.Td>{size(item.fileSize)}</Table.Td>
                <Table.Td>
                  {item.status === 'successful' && (
                    <Button size="compact-sm" variant="default" onClick={() => open(item.id)} aria-label={text.openFile(nameOf(item))}>
                      {text.open}
                    </Button>
                  )}
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </WideTable>
        {running.map(({ jobId, type, progress }) => (
          <div key={jobId}>
            <Text size="sm">{text.making(type)}</Text>
            <Progress value={progress ?? 0} aria-label={text.making(type)} />
          </div>
        ))}
        {failed.map(({ jobId, formatId, message }) => (
          <Text key={jobId} size="sm" c="red" className="foreign">
            {formatId ? `${names.get(formatId) ?? formatId}: ` : ''}
            {message}
          </Text>
        ))}
      </Stack>
    </Card>
  );
}
