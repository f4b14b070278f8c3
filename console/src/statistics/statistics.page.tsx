import { Card, Group, Pill, SimpleGrid, Skeleton, Stack, Text } from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { TextLink } from '../elements/links';
import { PageHead, Results } from '../elements/list-page';
import { Empty, Failure } from '../elements/page-states';
import { DayChart } from './day-chart';
import { FiguresTable } from './figures-table';
import { useFigureFormat, useName } from './names';
import { PeriodFields } from './period-fields';
import { type Row, useDays, useRows } from './queries';
import { useMessages } from './statistics.messages';
import {
  daysBetween,
  FIGURES,
  type Figure,
  periodOf,
  readStatisticsSearch,
  SPLITS,
  type Split,
  type StatisticsSearch,
} from './statistics-search';

/** What was played, downloaded, shown and refused in a period: as sums, by day, and split by what one wants to know. */
export function StatisticsPage() {
  const text = useMessages();
  const search: StatisticsSearch = useSearch({ strict: false });
  const navigate = useNavigate();
  const change = (changes: Readonly<Record<string, unknown>>) =>
    void navigate({ to: '/statistics', search: readStatisticsSearch({ ...search, ...changes }) });
  const { data: days, error, refetch } = useDays(search);
  const figure = search.figure ?? 'plays';
  const { from, to } = periodOf(search, new Date());
  return (
    <Stack>
      <PageHead title={text.title} />
      <PeriodFields search={search} onChange={change} />
      <Filters search={search} onRemove={(filter) => change({ [filter]: undefined })} />
      {error && <Failure error={error} onRetry={() => void refetch()} />}
      {!days && !error && <Skeleton height={320} />}
      {!error && days?.length === 0 && (
        <Empty title={text.empty}>
          <Text>{text.emptyHint}</Text>
          <TextLink to="/shares">{text.toShares}</TextLink>
        </Empty>
      )}
      {!error && days && days.length > 0 && (
        <>
          <Sums rows={days} chosen={figure} onChoose={(chosen) => change({ figure: chosen })} />
          <DayChart days={daysBetween(from, to)} rows={days} figure={figure} hasTable={search.by === undefined} />
          {search.by === undefined ? (
            <FiguresTable by="day" search={search} rows={days.toReversed()} />
          ) : (
            <SplitTable key={search.by} by={search.by} search={search} />
          )}
        </>
      )}
    </Stack>
  );
}

function SplitTable({ by, search }: { by: Exclude<Split, 'day'>; search: StatisticsSearch }) {
  const found = useRows(search, by);
  return (
    <Results found={found}>
      <FiguresTable by={by} search={search} rows={found.items} />
    </Results>
  );
}

interface SumsProps {
  readonly rows: readonly Row[];
  readonly chosen: Figure;
  readonly onChoose: (figure: Figure) => void;
}

/** The sums of the period; each is a button that shows its days. */
function Sums({ rows, chosen, onChoose }: SumsProps) {
  const text = useMessages();
  const write = useFigureFormat();
  return (
    <SimpleGrid cols={{ base: 2, xs: 3, lg: 7 }} spacing="sm">
      {FIGURES.map((figure) => (
        <Card
          key={figure}
          withBorder
          padding="sm"
          component="button"
          className="figure"
          aria-pressed={figure === chosen}
          onClick={() => onChoose(figure)}
        >
          <Text size="sm">{text.figures[figure]}</Text>
          <Text size="xl" fw={600}>
            {write(
              figure,
              rows.reduce((sum, row) => sum + row[figure], 0),
            )}
          </Text>
        </Card>
      ))}
    </SimpleGrid>
  );
}

function Filters({ search, onRemove }: { search: StatisticsSearch; onRemove: (filter: Split) => void }) {
  const text = useMessages();
  const filters = SPLITS.filter((split) => search[split] !== undefined);
  if (filters.length === 0) return null;
  return (
    <Group gap="xs">
      <Text size="sm">{text.only}</Text>
      {filters.map((filter) => (
        <Filter key={filter} filter={filter} value={search[filter] ?? null} onRemove={() => onRemove(filter)} />
      ))}
    </Group>
  );
}

function Filter({ filter, value, onRemove }: { filter: Split; value: string | number | null; onRemove: () => void }) {
  const text = useMessages();
  const name = useName(filter, value);
  return (
    <Pill
      size="lg"
      maw={320}
      withRemoveButton
      onRemove={onRemove}
      removeButtonProps={{ 'aria-label': text.remove(text.splits[filter]), 'aria-hidden': false, tabIndex: 0 }}
    >
      <span className="foreign">{`${text.splits[filter]}: ${name}`}</span>
    </Pill>
  );
}
