import { Badge, Button, Card, Group, Progress, Stack, Table, Text, Title } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { MAX_NAME } from '../elements/max-name';
import { notifyFailure } from '../elements/notify';
import { WideTable } from '../elements/wide-table';
import { useFormatList } from '../formats/queries';
import { originalOf } from '../formats/try-format';
import { useFormats } from '../language';
import { FormatChoice } from '../library/format-choice';
import type { Container } from '../library/queries';
import { keys } from '../query-keys';
import { useMessages } from './medium.messages';
import { openItem, useJobs, useTranscode } from './queries';

/** The original and its renditions, what is being made, and what else can be made of it. */
export function Files({ container }: { container: Container }) {
  const text = useMessages();
  const { size, duration } = useFormats();
  const { data: formats } = useFormatList();
  const original = originalOf(container, formats ?? []);
  const names = new Map(formats?.map(({ id, name }) => [id, name.slice(0, MAX_NAME)]));
  const nameOf = ({ fileName, fileExtension }: Container['media'][number]) => `${fileName.slice(0, MAX_NAME)}.${fileExtension}`;
  const open = (mediaId: number) => void openItem(container.id, mediaId).catch((error: unknown) => notifyFailure(text.notOpened, error));
  const files = container.media.filter(({ role }) => role === null);
  return (
    <Card withBorder component="section" aria-label={text.files}>
      <Stack gap="sm">
        <Title order={2} size="h4">
          {text.files}
        </Title>
        <WideTable minWidth={620} label={text.files}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{text.file}</Table.Th>
              <Table.Th>{text.kind}</Table.Th>
              <Table.Th>{text.dimensions}</Table.Th>
              <Table.Th>{text.codec}</Table.Th>
              <Table.Th>{text.size}</Table.Th>
              <Table.Th />
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {files.map((item) => (
              <Table.Tr key={item.id}>
                <Table.Td className="foreign" dir="auto">
                  {nameOf(item)}
                </Table.Td>
                <Table.Td>
                  {item.id === original?.id ? (
                    <Badge variant="default" miw="max-content">
                      {text.original}
                    </Badge>
                  ) : (
                    [item.formatId === null ? null : names.get(item.formatId), item.label ?? item.language].filter(Boolean).join(' · ')
                  )}
                </Table.Td>
                <Table.Td>
                  {item.width && item.height ? `${item.width} × ${item.height}` : ''} {item.duration ? duration(item.duration) : ''}
                </Table.Td>
                <Table.Td>{item.codec}</Table.Td>
                <Table.Td>{item.status === 'successful' ? size(item.fileSize) : text.states[item.status]}</Table.Td>
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
        <Running container={container} names={names} />
        <Transcode container={container} />
      </Stack>
    </Card>
  );
}

/** What is being made; when it ends, the files are loaded again. */
function Running({ container, names }: { container: Container; names: ReadonlyMap<number, string> }) {
  const text = useMessages();
  const queries = useQueryClient();
  const { data: jobs } = useJobs(container.id);
  const running = jobs?.filter(({ status }) => status === 'running') ?? [];
  const runningIds = running.map(({ jobId }) => jobId).join();
  const known = useRef('');
  useEffect(() => {
    // A job that has ended may have made a file.
    if (known.current !== '' && known.current !== runningIds) void queries.invalidateQueries({ queryKey: keys.media.one(container.id) });
    known.current = runningIds;
  }, [runningIds, queries, container.id]);
  return running.map(({ jobId, type, formatId, progress }) => {
    const name = text.making((formatId ? names.get(formatId) : undefined) ?? text.jobs[type]);
    return (
      <div key={jobId}>
        <Text size="sm" className="foreign">
          {name}
        </Text>
        <Progress value={progress ?? 0} aria-label={name} />
      </div>
    );
  });
}

function Transcode({ container }: { container: Container }) {
  const text = useMessages();
  const { mutateAsync, isPending } = useTranscode(container.id);
  const [formatIds, setFormatIds] = useState<number[]>([]);
  const start = async () => {
    try {
      await mutateAsync(formatIds);
      setFormatIds([]);
    } catch (error) {
      notifyFailure(text.notStarted, error);
    }
  };
  if (container.type === 'watermark' || container.flag === 1) return null;
  return (
    <Group align="flex-end">
      <FormatChoice value={formatIds} onChange={setFormatIds} types={[container.type]} />
      <Button variant="light" disabled={formatIds.length === 0} loading={isPending} onClick={() => void start()}>
        {text.make}
      </Button>
    </Group>
  );
}
