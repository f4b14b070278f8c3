import { Button, Group, Stack, Table, Text, Title } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { Results } from '../../elements/list-page';
import { MAX_NAME } from '../../elements/max-name';
import { useConfirm } from '../../elements/use-confirm';
import { WideTable } from '../../elements/wide-table';
import { useFormats } from '../../language';
import { useMessages } from './people.messages';
import { type BrowserSession, useEndSessions, useSessions } from './queries';

interface Props {
  readonly userId: number;
  readonly mayChange: boolean;
}

/** The browsers in which a person is signed in, with buttons that sign them out. */
export function Sessions({ userId, mayChange }: Props) {
  const text = useMessages();
  const found = useSessions(userId);
  const sessions = found.items ?? [];
  const { mutateAsync: end } = useEndSessions(userId);
  const { ask, dialog } = useConfirm();
  const endOne = async (id: string) => {
    await end(id);
    notifications.show({ message: text.ended });
  };
  const endAll = async () => {
    await end('all');
    notifications.show({ message: text.endedAll });
  };
  const askToEnd = (id: string) =>
    ask({ title: text.endTitle, consequence: text.endText, verb: text.end, act: async () => await endOne(id) });
  return (
    <Stack component="section">
      <Group justify="space-between">
        <Title order={2} size="h4">
          {text.sessions}
        </Title>
        {mayChange && (
          <Button
            color="red"
            variant="light"
            size="compact-sm"
            aria-haspopup="dialog"
            onClick={() => ask({ title: text.endAllTitle, consequence: text.endAllText, verb: text.endAll, act: endAll })}
          >
            {text.endAll}
          </Button>
        )}
      </Group>
      <Results found={found} isEmpty={sessions.length === 0} empty={<Text>{text.noSessions}</Text>}>
        <WideTable
          minWidth={560}
          label={text.sessions}
          columns={[text.browser, text.address, text.since, text.until, ...(mayChange ? [''] : [])]}
        >
          {sessions.map((session) => (
            <Row key={session.id} session={session} onEnd={mayChange ? () => askToEnd(session.id) : undefined} />
          ))}
        </WideTable>
      </Results>
      {dialog}
    </Stack>
  );
}

function Row({ session: { ip, userAgent, signedInAt, expiresAt }, onEnd }: { session: BrowserSession; onEnd: (() => void) | undefined }) {
  const text = useMessages();
  const { dateTime } = useFormats();
  const browser = userAgent?.slice(0, MAX_NAME) || text.unknown;
  return (
    <Table.Tr>
      <Table.Td maw={320}>
        <Text size="sm" className="foreign" lineClamp={3} title={browser}>
          {browser}
        </Text>
      </Table.Td>
      <Table.Td>{ip ?? text.unknown}</Table.Td>
      <Table.Td>{dateTime(signedInAt)}</Table.Td>
      <Table.Td>{dateTime(expiresAt)}</Table.Td>
      {onEnd && (
        <Table.Td>
          <Button
            variant="default"
            size="compact-sm"
            aria-haspopup="dialog"
            aria-label={text.endLabel(browser, dateTime(signedInAt))}
            onClick={onEnd}
          >
            {text.end}
          </Button>
        </Table.Td>
      )}
    </Table.Tr>
  );
}
