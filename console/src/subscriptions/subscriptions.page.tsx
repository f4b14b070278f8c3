import { Badge, NativeSelect, Stack, Table, Text } from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { ButtonLink, TextLink } from '../elements/links';
import { ListPage } from '../elements/list-page';
import { Empty } from '../elements/page-states';
import { WideTable } from '../elements/wide-table';
import { useFormats } from '../language';
import { DryRun } from './dry-run';
import { EVENT_NAMES, type EventName } from './events';
import { FromTemplate } from './from-template';
import { type Subscription, useSubscriptions } from './queries';
import { useMessages } from './subscriptions.messages';
import { readSubscriptionsSearch, type SubscriptionsSearch } from './subscriptions-search';

/** All subscriptions, and which of them would act on an event. */
export function SubscriptionsPage() {
  const text = useMessages();
  const { event }: SubscriptionsSearch = useSearch({ strict: false });
  const navigate = useNavigate();
  const found = useSubscriptions();
  const shown = found.data?.filter(({ name }) => !event || name === event) ?? [];
  return (
    <Stack>
      <ListPage
        title={text.title}
        intro={text.intro}
        found={found}
        isEmpty={shown.length === 0}
        empty={
          <Empty title={text.emptyTitle}>
            <Text ta="center">{text.empty}</Text>
          </Empty>
        }
        controls={
          <>
            <NativeSelect
              label={text.event}
              value={event ?? ''}
              data={[{ value: '', label: text.allEvents }, ...EVENT_NAMES.map((value) => ({ value, label: text.events[value] }))]}
              onChange={({ currentTarget: { value } }) =>
                void navigate({ to: '/subscriptions', search: readSubscriptionsSearch({ event: value }), replace: true })
              }
            />
            <FromTemplate />
            <ButtonLink to="/subscriptions/new">{text.create}</ButtonLink>
          </>
        }
      >
        <WideTable minWidth={640} label={text.title} columns={[text.event, text.does, text.notes, text.last]}>
          {shown.map((subscription) => (
            <Row key={subscription.id} subscription={subscription} />
          ))}
        </WideTable>
      </ListPage>
      {found.data && found.data.length > 0 && <DryRun key={event} event={event ?? 'event:s3success'} />}
    </Stack>
  );
}

function Row({ subscription: { id, name, instructions, notes, lastExecutedStatus } }: { subscription: Subscription }) {
  const text = useMessages();
  const { list } = useFormats();
  return (
    <Table.Tr>
      <Table.Td>
        <TextLink to="/subscriptions/$id" params={{ id: String(id) }}>
          {text.titleOf(text.events[name as EventName] ?? name, id)}
        </TextLink>
      </Table.Td>
      <Table.Td>{list([...new Set(instructions.map(({ type }) => text.types[type]))])}</Table.Td>
      <Table.Td maw={280}>
        <Text size="sm" className="foreign" dir="auto" lineClamp={2}>
          {notes}
        </Text>
      </Table.Td>
      <Table.Td>{lastExecutedStatus === null ? text.never : <Status status={lastExecutedStatus} />}</Table.Td>
    </Table.Tr>
  );
}

/** The status of an attempt; 0: no connection, 417: an expectation failed. */
export function Status({ status }: { status: number }) {
  const text = useMessages();
  const isDone = status >= 200 && status < 300;
  const failure = status === 0 ? text.noConnection : status === 417 ? text.expectation : text.failed(status);
  return (
    <Badge miw="max-content" variant={isDone ? 'default' : 'filled'} color="red">
      {isDone ? text.succeeded(status) : failure}
    </Badge>
  );
}
