import { Button, Card, Code, Stack, Table, Text, Title } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { Results } from '../elements/list-page';
import { notifyFailure } from '../elements/notify';
import { WideTable } from '../elements/wide-table';
import { useFormats } from '../language';
import { type LogEntry, useAttempts, useReplay } from './queries';
import { useMessages } from './subscriptions.messages';
import { Status } from './subscriptions.page';

/** The attempts of a subscription, with what was sent and why they failed; each can be repeated. */
export function Attempts({ id }: { id: number }) {
  const text = useMessages();
  const found = useAttempts(id);
  const logs = found.items ?? [];
  return (
    <Card withBorder>
      <Stack>
        <Title order={2} size="h4">
          {text.attempts}
        </Title>
        <Results found={found} isEmpty={logs.length === 0} empty={<Text>{text.noAttempts}</Text>}>
          <WideTable minWidth={760} label={text.attempts} columns={[text.when, text.what, text.attempt, text.result, text.duration, '']}>
            {logs.map((entry) => (
              <Row key={entry.id} subscriptionId={id} entry={entry} />
            ))}
          </WideTable>
        </Results>
      </Stack>
    </Card>
  );
}

function Row({ subscriptionId, entry }: { subscriptionId: number; entry: LogEntry }) {
  const text = useMessages();
  const { dateTime, number } = useFormats();
  const { mutate, isPending } = useReplay(subscriptionId);
  const { id, type, attempt, statusCode, reason, payload, durationMs, createdAt, messageId } = entry;
  const replay = () =>
    mutate(id, {
      onSuccess: () => void notifications.show({ message: text.replayed }),
      onError: (error) => notifyFailure(text.notReplayed, error),
    });
  return (
    <Table.Tr>
      <Table.Td>{dateTime(createdAt)}</Table.Td>
      <Table.Td maw={360}>
        <Text size="sm">{text.types[type]}</Text>
        <details>
          <summary>{text.showPayload}</summary>
          <Text size="sm" className="foreign">
            {text.message}: {messageId}
          </Text>
          {payload === null ? (
            <Text size="sm">{text.noPayload}</Text>
          ) : (
            <Code block className="foreign wrapped">
              {JSON.stringify(payload, null, 2)}
            </Code>
          )}
        </details>
      </Table.Td>
      <Table.Td>{number(attempt)}</Table.Td>
      <Table.Td maw={280}>
        <Status status={statusCode} />
        {reason && (
          <Text size="sm" className="foreign">
            {reason}
          </Text>
        )}
      </Table.Td>
      <Table.Td>{number(durationMs)} ms</Table.Td>
      <Table.Td>
        <Button size="compact-sm" variant="default" loading={isPending} onClick={replay} aria-label={text.replayOf(id)}>
          {text.replay}
        </Button>
      </Table.Td>
    </Table.Tr>
  );
}
