import { Button, Group, Loader, Skeleton, Stack, Text, Title } from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback, useMemo } from 'react';
import { Empty, Failure } from '../elements/page-states';
import { useFormats } from '../language';
import { useUploads } from '../upload/uploads';
import { useMessages } from './library.messages';
import { LibraryFilters } from './library-filters';
import type { LibrarySearch } from './library-search';
import { MediaGrid } from './media-grid';
import { type Container, useContainers } from './queries';
import { SelectionBar } from './selection-bar';

/** The service counts matches exactly up to this number. */
const MAX_COUNTED = 10_000;

/** All media of the customer: searched, filtered and sorted by the address, selected, and changed together. */
export function LibraryPage() {
  const text = useMessages();
  const { number } = useFormats();
  const search: LibrarySearch = useSearch({ strict: false });
  const navigate = useNavigate();
  const change = useCallback(
    (changes: Partial<LibrarySearch>, { replace = true } = {}) =>
      void navigate({ to: '/', search: (old: object) => ({ ...old, ...changes }) as never, replace, resetScroll: false }),
    [navigate],
  );
  const found = useContainers(search);
  const containers = useMemo(() => found.data?.pages.flatMap((page) => page.containers) ?? [], [found.data]);
  const total = found.data?.pages[0]?.total ?? 0;
  const selected = useMemo(() => new Set(search.selected ?? []), [search.selected]);
  const select = useCallback((ids: ReadonlySet<number>) => change({ selected: ids.size > 0 ? [...ids] : undefined }), [change]);
  return (
    <Stack gap="md">
      <Group justify="space-between" align="baseline">
        <Title order={1} size="h2">
          {search.state === 'trash' ? text.trash : text.title}
        </Title>
        <Group gap="xs">
          {found.isFetching && <Loader size="xs" aria-hidden="true" />}
          <Text size="sm" role="status">
            {found.data ? text.total(number(Math.min(total, MAX_COUNTED)), total <= MAX_COUNTED) : ''}
          </Text>
        </Group>
      </Group>
      <LibraryFilters search={search} onChange={change} />
      {found.isError && <Failure error={found.error} onRetry={() => void found.refetch()} />}
      {found.isPending && <Waiting />}
      {found.data && containers.length === 0 && (
        <NothingFound search={search} onReset={() => void navigate({ to: '/', search: {} as never })} />
      )}
      {containers.length > 0 && (
        <MediaGrid
          containers={containers}
          isList={search.view === 'list'}
          selected={selected}
          onSelect={select}
          hasMore={found.hasNextPage && !found.isFetchingNextPage}
          onMore={() => void found.fetchNextPage()}
        />
      )}
      <SelectionBar
        selected={selected}
        inTrash={search.state === 'trash'}
        onSelectAll={() => select(new Set(containers.map(({ id }: Container) => id)))}
        onClear={() => select(new Set())}
      />
    </Stack>
  );
}

function Waiting() {
  const text = useMessages();
  return (
    <Group aria-busy="true" aria-label={text.loading} role="status">
      {Array.from({ length: 12 }, (_, n) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: placeholders have no identity
        <Skeleton key={n} width={220} height={138} radius="md" />
      ))}
    </Group>
  );
}

function NothingFound({ search, onReset }: { search: LibrarySearch; onReset: () => void }) {
  const text = useMessages();
  const { open } = useUploads();
  const isFiltered = Boolean(search.search || search.type || search.tag || search.extension);
  if (isFiltered) {
    return (
      <Empty title={text.noMatchTitle}>
        <Text>{text.noMatch}</Text>
        <Button variant="default" onClick={onReset}>
          {text.removeFilters}
        </Button>
      </Empty>
    );
  }
  if (search.state === 'trash') return <Empty title={text.emptyTrash} />;
  return (
    <Empty title={text.emptyTitle}>
      <Text ta="center">{text.emptyText}</Text>
      <Button onClick={open}>{text.add}</Button>
    </Empty>
  );
}
