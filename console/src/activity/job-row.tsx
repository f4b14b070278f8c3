import { Badge, Button, Code, Group, Progress, Skeleton, Table, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useState } from 'react';
import { TextLink } from '../elements/links';
import { notifyFailure } from '../elements/notify';
import { Failure } from '../elements/page-states';
import { useFormatList } from '../formats/queries';
import { useFormats } from '../language';
import { MediumLink, useMediumName } from '../medium/medium-link';
import { useMessages } from './activity.messages';
import { stateOf } from './activity-search';
import { type Job, useCancel, useLog, useRetry } from './queries';

/** One job: what it concerns, how far it is, why it failed, and what can be done about it. */
export function JobRow({ job }: { job: Job }) {
  const text = useMessages();
  const { dateTime } = useFormats();
  const { type, progress, message, createdAt, jobId } = job;
  const state = stateOf(job);
  return (
    <Table.Tr>
      <Table.Td>{text.types[type]}</Table.Td>
      <Table.Td maw={260}>
        <Concerned job={job} />
      </Table.Td>
      <Table.Td maw={360}>
        <Badge miw="max-content" variant={state === 'failed' ? 'filled' : 'default'} color="red">
          {text.states[state]}
        </Badge>
        {state === 'running' && progress != null && <Progress mt={4} value={progress} aria-label={text.progressOf(text.types[type])} />}
        {message && (
          <Text size="sm" className="foreign">
            {message.slice(0, 1_000)}
          </Text>
        )}
        {state === 'failed' && type === 'transcoding' && jobId && <Log jobId={jobId} />}
      </Table.Td>
      <Table.Td>{dateTime(createdAt)}</Table.Td>
      <Table.Td ta="right">
        <Actions job={job} />
      </Table.Td>
    </Table.Tr>
  );
}

/** Links to the medium and the format of a job. */
function Concerned({ job: { mediaContainerId, formatId } }: { job: Job }) {
  const text = useMessages();
  const { data: formats } = useFormatList();
  const name = formats?.find(({ id }) => id === formatId)?.name;
  return (
    <Group gap={4} align="flex-start" style={{ flexDirection: 'column' }}>
      {mediaContainerId !== null && <MediumLink id={mediaContainerId} />}
      {formatId !== null && name !== undefined && (
        <TextLink size="sm" to="/formats/$id" params={{ id: String(formatId) }} className="foreign" dir="auto" lineClamp={2}>
          {name}
        </TextLink>
      )}
      {formatId !== null && name === undefined && <Text size="sm">{text.format(formatId)}</Text>}
    </Group>
  );
}

/** The last output of the program that failed, which is loaded when it is opened. */
function Log({ jobId }: { jobId: string }) {
  const text = useMessages();
  const [isOpen, setOpen] = useState(false);
  const { data, error, refetch } = useLog(jobId, isOpen);
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{text.log}</summary>
      {error && <Failure error={error} onRetry={() => void refetch()} />}
      {data === undefined && !error && <Skeleton height={60} />}
      {data === null && <Text size="sm">{text.noLog}</Text>}
      {data && (
        <Code block className="foreign wrapped" mah={300} tabIndex={0} style={{ overflow: 'auto' }}>
          {data}
        </Code>
      )}
    </details>
  );
}

function Actions({ job }: { job: Job }) {
  const text = useMessages();
  const retry = useRetry(job);
  const cancel = useCancel(job);
  const { type, mediaContainerId, formatId, jobId } = job;
  const medium = useMediumName(mediaContainerId);
  if (type !== 'transcoding' || mediaContainerId === null || formatId === null) return null;
  const what = `${text.types[type]}, ${medium}, ${text.format(formatId)}`;
  if (job.status === 'failed') {
    const tryAgain = () =>
      retry.mutate(undefined, {
        onSuccess: () => void notifications.show({ message: text.retried }),
        onError: (error) => notifyFailure(text.notRetried, error),
      });
    return (
      <Button size="compact-sm" variant="default" loading={retry.isPending} onClick={tryAgain} aria-label={text.retryOf(what)}>
        {text.retry}
      </Button>
    );
  }
  if (job.status !== 'running' || jobId === null) return null;
  return (
    <Button
      size="compact-sm"
      variant="default"
      loading={cancel.isPending}
      aria-label={text.cancelOf(what)}
      onClick={() => {
        cancel.mutate(undefined, {
          onSuccess: () => void notifications.show({ message: text.cancelled }),
          onError: (error) => notifyFailure(text.notCancelled, error),
        });
      }}
    >
      {text.cancel}
    </Button>
  );
}
