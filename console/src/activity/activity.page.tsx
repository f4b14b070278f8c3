import { Anchor, Badge, Button, Group, NativeSelect, Progress, Stack, Table, Text, Title } from '@mantine/core';
import type { components } from '@media-delivery/sdk';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { nextCursor } from '../elements/next-cursor';
import { Empty, Failure } from '../elements/page-states';
import { WideTable } from '../elements/wide-table';
import { messages, useFormats } from '../language';
import { api } from '../session';
import { type ActivitySearch, readActivitySearch, STATES, type State } from './activity-search';

type Job = components['schemas']['ActivityResponse'];

const useMessages = messages({
  en: {
    title: 'Activity',
    state: 'State',
    all: 'All',
    states: { running: 'Running or waiting', successful: 'Done', failed: 'Failed' } satisfies Record<State, string>,
    kind: 'What',
    medium: 'Medium',
    when: 'When',
    show: (id: number) => `Medium ${id}`,
    more: 'Show more',
    empty: 'Nothing has happened yet',
    progressOf: (type: string) => `Progress of ${type}`,
  },
  de: {
    title: 'Aktivität',
    state: 'Zustand',
    all: 'Alle',
    states: { running: 'Läuft oder wartet', successful: 'Fertig', failed: 'Fehlgeschlagen' },
    kind: 'Was',
    medium: 'Medium',
    when: 'Wann',
    show: (id: number) => `Medium ${id}`,
    more: 'Mehr anzeigen',
    empty: 'Noch ist nichts geschehen',
    progressOf: (type: string) => `Fortschritt von ${type}`,
  },
});

/** What runs, waits, was done and failed, newest first; it is loaded again every few seconds while something runs. */
export function ActivityPage() {
  const text = useMessages();
  const { status }: ActivitySearch = useSearch({ strict: false });
  const navigate = useNavigate();
  const found = useInfiniteQuery({
    queryKey: ['activity', status],
    initialPageParam: undefined as number | undefined,
    queryFn: async ({ pageParam, signal }) => {
      const { data, response } = await api.GET('/v5/activity', { params: { query: { status, limit: 50, cursor: pageParam } }, signal });
      return { jobs: data, next: nextCursor(response) };
    },
    getNextPageParam: ({ next }) => (next === undefined ? undefined : Number(next)),
    refetchInterval: ({ state }) => (state.data?.pages.some(({ jobs }) => jobs.some((job) => job.status === 'running')) ? 3_000 : false),
  });
  const jobs = found.data?.pages.flatMap((page) => page.jobs) ?? [];
  return (
    <Stack>
      <Group justify="space-between" align="flex-end">
        <Title order={1} size="h2">
          {text.title}
        </Title>
        <NativeSelect
          label={text.state}
          value={status ?? ''}
          data={[{ value: '', label: text.all }, ...STATES.map((value) => ({ value, label: text.states[value] }))]}
          onChange={(event) =>
            void navigate({ to: '/activity', search: readActivitySearch({ status: event.currentTarget.value }) as never })
          }
        />
      </Group>
      {found.isError && <Failure error={found.error} onRetry={() => void found.refetch()} />}
      {found.data && jobs.length === 0 && <Empty title={text.empty} />}
      {jobs.length > 0 && (
        <WideTable minWidth={480} label={text.title}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{text.kind}</Table.Th>
              <Table.Th>{text.medium}</Table.Th>
              <Table.Th>{text.state}</Table.Th>
              <Table.Th>{text.when}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {jobs.map((job) => (
              <JobRow key={job.jobId} job={job} />
            ))}
          </Table.Tbody>
        </WideTable>
      )}
      {found.hasNextPage && (
        <Button variant="default" loading={found.isFetchingNextPage} onClick={() => void found.fetchNextPage()} mx="auto">
          {text.more}
        </Button>
      )}
    </Stack>
  );
}

function JobRow({ job }: { job: Job }) {
  const text = useMessages();
  const { dateTime } = useFormats();
  const { type, status, progress, message, mediaContainerId, createdAt } = job;
  return (
    <Table.Tr>
      <Table.Td>{type}</Table.Td>
      <Table.Td>
        {mediaContainerId && (
          <Anchor component={Link} to="/media/$id" params={{ id: String(mediaContainerId) } as never}>
            {text.show(mediaContainerId)}
          </Anchor>
        )}
      </Table.Td>
      <Table.Td>
        <Badge variant="default">{text.states[status as State]}</Badge>
        {status === 'running' && progress != null && <Progress mt={4} value={progress} aria-label={text.progressOf(type)} />}
        {status === 'failed' && (
          <Text size="sm" className="foreign">
            {message}
          </Text>
        )}
      </Table.Td>
      <Table.Td>{dateTime(createdAt)}</Table.Td>
    </Table.Tr>
  );
}
