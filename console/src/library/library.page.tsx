import { Button, Group, Loader, Skeleton, Stack, Text, Title } from '@mantine/core';
import { Navigate, useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback, useEffect, useMemo, useState } from 'react';
import { Empty, Failure } from '../elements/page-states';
import { useSelection } from '../elements/use-selection';
import { useFormats } from '../language';
import { useUploads } from '../upload/uploads';
import { useMessages } from './library.messages';
import { LibraryFilters } from './library-filters';
import { isFiltered, type LibrarySearch } from './library-search';
import { MediaGrid } from './media-grid';
import { useFacets, useHasMedia, useMedia } from './queries';
import { scrollPositionState } from './scroll-position';
import { SelectionBar } from './selection-bar';

/** More are not selected at once: their ids have to be loaded first. */
const MAX_SELECTED = 10_000;

/** Room below the list, so that its end can be scrolled above the bar of the selection; in pixels. */
const BAR_ROOM = 200;

/** All media of the customer: searched, filtered and sorted by the address, selected, and changed together. */
export function LibraryPage() {
  const text = useMessages();
  const search: LibrarySearch = useSearch({ strict: false });
  const navigate = useNavigate();
  const change = useCallback(
    (changes: Partial<LibrarySearch>) =>
      void navigate({ to: '/', search: (old: object) => ({ ...old, ...changes }), replace: true, resetScroll: false }),
    [navigate],
  );
  const found = useMedia(search);
  const media = useMemo(() => found.data?.pages.flatMap((page) => page.media) ?? [], [found.data]);
  const { total, isExact } = useTotal(search, found, media.length);
  const { selected, select } = useSelection(search.selected, scrollPositionState);

  const [needed, setNeeded] = useState(0);
  const [isSelectingAll, setSelectingAll] = useState(false);
  const { loadUntil, isFetching, isPlaceholderData } = found;
  const goal = isSelectingAll ? Math.min(total, MAX_SELECTED) - 1 : needed;
  // biome-ignore lint/correctness/useExhaustiveDependencies: each page that has arrived may ask for the next
  useEffect(() => {
    if (!isPlaceholderData) loadUntil(goal, media.length);
  }, [goal, media.length, isFetching, isPlaceholderData]);
  useEffect(() => {
    if (!isSelectingAll || (found.hasNextPage && !found.isError && media.length <= goal)) return;
    setSelectingAll(false);
    select(new Set(media.slice(0, MAX_SELECTED).map(({ id }) => id)));
  }, [isSelectingAll, found.hasNextPage, found.isError, media, goal, select]);
  const isWaiting = found.isPending || (media.length === 0 && found.isFetching);
  const selectAll = useCallback(() => setSelectingAll(true), []);

  return (
    <Stack gap="md" pb={selected.size > 0 ? BAR_ROOM : undefined}>
      <Group justify="space-between" align="baseline">
        <Title order={1} size="h2">
          {search.state === 'trash' ? text.trash : text.title}
        </Title>
        <Count isLoading={found.isFetching} total={found.data ? total : null} isExact={isExact} />
      </Group>
      <LibraryFilters search={search} onChange={change} />
      {found.isError && (
        <Failure error={found.error} onRetry={() => void (found.isFetchNextPageError ? found.fetchNextPage() : found.refetch())} />
      )}
      {isWaiting && <Waiting />}
      {found.data && media.length === 0 && !isWaiting && (
        <NothingFound search={search} onReset={() => void navigate({ to: '/', search: {} })} />
      )}
      {media.length > 0 && (
        <MediaGrid
          key={JSON.stringify({ ...search, selected: undefined, view: undefined })}
          media={media}
          total={total}
          isList={search.view === 'list'}
          selected={selected}
          onSelect={select}
          onSelectAll={selectAll}
          onNeed={setNeeded}
        />
      )}
      <SelectionBar
        selected={selected}
        media={media}
        isSelecting={isSelectingAll}
        inTrash={search.state === 'trash'}
        onSelectAll={selectAll}
        onClear={() => select(new Set())}
      />
    </Stack>
  );
}

/** How many media match: as the service counted them, beyond 10,000 as the facets did, and never fewer than have been loaded. */
function useTotal(search: LibrarySearch, found: ReturnType<typeof useMedia>, loaded: number) {
  const { data: facets } = useFacets(search);
  if (!found.hasNextPage) return { total: loaded, isExact: true };
  const { count, isExact } = found.data?.pages[0]?.total ?? { count: 0, isExact: true };
  const ofFacets = isExact ? 0 : (facets?.type.reduce((sum, one) => sum + one.count, 0) ?? 0);
  return { total: Math.max(count, ofFacets, loaded + 1), isExact: isExact || ofFacets > 0 };
}

function Count({ isLoading, total, isExact }: { isLoading: boolean; total: number | null; isExact: boolean }) {
  const text = useMessages();
  const { number } = useFormats();
  return (
    <Group gap="xs">
      {isLoading && <Loader size="xs" aria-hidden="true" />}
      <Text size="sm" role="status">
        {total === null ? '' : text.total(number(total), isExact)}
      </Text>
    </Group>
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

/** What an empty list says; people without any media are shown how to start. */
function NothingFound({ search, onReset }: { search: LibrarySearch; onReset: () => void }) {
  const text = useMessages();
  const { open } = useUploads();
  const isEmptyLibrary = !isFiltered(search) && search.state === undefined;
  const hasMedia = useHasMedia(isEmptyLibrary);
  if (isFiltered(search)) {
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
  if (hasMedia === undefined) return <Waiting />;
  if (!hasMedia) return <Navigate to="/start" replace />;
  return (
    <Empty title={text.emptyTitle}>
      <Text ta="center">{text.emptyText}</Text>
      <Button onClick={open}>{text.upload}</Button>
    </Empty>
  );
}
