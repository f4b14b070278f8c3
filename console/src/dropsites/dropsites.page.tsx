import { Anchor, Badge, Button, Group, SegmentedControl, Skeleton, Stack, Table, Text, Title } from '@mantine/core';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { Empty, Failure } from '../elements/page-states';
import { WideTable } from '../elements/wide-table';
import { useFormats } from '../language';
import { useMessages } from './dropsites.messages';
import { type DropsitesSearch, readDropsitesSearch } from './dropsites-search';
import { type Dropsite, type DropsiteState, useDropsites } from './queries';

/** The dropsites that accept uploads, or those that have ended. */
export function DropsitesPage() {
  const text = useMessages();
  const search: DropsitesSearch = useSearch({ strict: false });
  const state: DropsiteState = search.state ?? 'active';
  const navigate = useNavigate();
  const found = useDropsites(state);
  const dropsites = found.data?.pages.flatMap((page) => page.dropsites) ?? [];
  return (
    <Stack>
      <Group justify="space-between" align="flex-end">
        <div>
          <Title order={1} size="h2">
            {text.title}
          </Title>
          <Text>{text.intro}</Text>
        </div>
        <Group>
          <SegmentedControl
            aria-label={text.state}
            value={state}
            data={(['active', 'ended'] as const).map((value) => ({ value, label: text.states[value] }))}
            onChange={(value) => void navigate({ to: '/dropsites', search: readDropsitesSearch({ state: value }) as never, replace: true })}
          />
          <Button component={Link} to="/dropsites/new">
            {text.create}
          </Button>
        </Group>
      </Group>
      {found.isError && <Failure error={found.error} onRetry={() => void found.refetch()} />}
      {found.isPending && <Skeleton height={200} radius="md" aria-label={text.loading} />}
      {found.data && dropsites.length === 0 && (
        <Empty title={text.emptyTitle[state]}>{state === 'active' && <Text ta="center">{text.empty}</Text>}</Empty>
      )}
      {dropsites.length > 0 && (
        <WideTable minWidth={640} label={text.title}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{text.name}</Table.Th>
              <Table.Th>{text.until}</Table.Th>
              <Table.Th>{text.uploads}</Table.Th>
              <Table.Th>{text.lastUsed}</Table.Th>
              <Table.Th>{text.password}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {dropsites.map((dropsite) => (
              <Row key={dropsite.id} dropsite={dropsite} />
            ))}
          </Table.Tbody>
        </WideTable>
      )}
      {found.hasNextPage && (
        <Button variant="default" mx="auto" loading={found.isFetchingNextPage} onClick={() => void found.fetchNextPage()}>
          {text.more}
        </Button>
      )}
    </Stack>
  );
}

function Row({ dropsite: { id, name, expiresAt, countUploads, lastUsedAt, requiresPassword } }: { dropsite: Dropsite }) {
  const text = useMessages();
  const { dateTime, number } = useFormats();
  return (
    <Table.Tr>
      <Table.Td maw={320}>
        <Anchor component={Link} to="/dropsites/$id" params={{ id: String(id) } as never} className="foreign" dir="auto" lineClamp={2}>
          {name}
        </Anchor>
      </Table.Td>
      <Table.Td>{expiresAt ? dateTime(expiresAt) : text.noEnd}</Table.Td>
      <Table.Td>{number(countUploads)}</Table.Td>
      <Table.Td>{lastUsedAt ? dateTime(lastUsedAt) : text.never}</Table.Td>
      <Table.Td>{requiresPassword && <Badge variant="default">{text.withPassword}</Badge>}</Table.Td>
    </Table.Tr>
  );
}
