import { Alert, Button, Card, Group, Progress, Stack, Text, Title } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect } from 'react';
import { Failure } from '../elements/page-states';
import type { Container } from '../library/queries';
import { keys } from '../query-keys';
import { Comparison } from './comparison';
import { useMessages } from './formats.messages';
import { type Format, useJobResult, useTranscoding } from './queries';

type Item = Container['media'][number];

/** The uploaded file of a container: it has no format, or one that keeps originals. */
export function originalOf({ media }: Container, formats: readonly Format[]): Item | undefined {
  const originals = new Set(formats.filter(({ converter }) => converter === 'original').map(({ id }) => id));
  return media.find(({ formatId, role }) => !role && (formatId === null || originals.has(formatId)));
}

interface Props {
  readonly format: Format;
  readonly container: Container | undefined;
  readonly original: Item | undefined;
  /** With which the medium is chosen. */
  readonly picker: ReactNode;
}

/** Makes the format of a medium, and compares original and result. */
export function TryFormat({ format, container, original, picker }: Props) {
  const text = useMessages();
  const queries = useQueryClient();
  const { mutate, data: jobId, error, isPending } = useTranscoding(format.id);
  const job = useJobResult(jobId);
  const result = job.data;
  const isDone = result !== undefined && 'status' in result;
  useEffect(() => {
    if (isDone) void queries.invalidateQueries({ queryKey: keys.media.all });
  }, [isDone, queries]);
  const made = result && 'mediaId' in result && !result.skipped ? result.mediaId : undefined;
  const existing = container?.media.find(({ formatId, status }) => formatId === format.id && status === 'successful')?.id;
  const resultId = isDone || jobId === undefined ? (made ?? existing) : undefined;
  return (
    <Card withBorder>
      <Stack>
        <Title order={2} size="h4">
          {text.tryTitle}
        </Title>
        <Text size="sm">{text.tryHint}</Text>
        <Group align="flex-end">
          {picker}
          <Button
            disabled={!container}
            loading={isPending || (jobId !== undefined && !isDone && !job.isError)}
            onClick={() => container && mutate(container.id)}
          >
            {text.try}
          </Button>
        </Group>
        {error && <Failure error={error} />}
        {job.isError && <Failure error={job.error} onRetry={() => void job.refetch()} />}
        {result && 'ok' in result && <Progress value={result.progress ?? 0} animated aria-label={text.trying} />}
        {result && 'code' in result && (
          <Alert color="red" title={text.tryFailed} role="alert">
            <Text size="sm" className="foreign">
              {result.message}
            </Text>
          </Alert>
        )}
        {result && 'skipped' in result && result.skipped && (
          <Alert title={text.skippedResult} role="status">
            <Text size="sm" className="foreign">
              {result.message}
            </Text>
          </Alert>
        )}
        {container && original && resultId !== undefined && resultId !== original.id && (
          <Comparison container={container} original={original} resultId={resultId} />
        )}
      </Stack>
    </Card>
  );
}
