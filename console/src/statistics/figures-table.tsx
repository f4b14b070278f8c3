import { Skeleton, Table } from '@mantine/core';
import { TextLink } from '../elements/links';
import { WideTable } from '../elements/wide-table';
import { useFigureFormat, useName } from './names';
import type { Row } from './queries';
import { useMessages } from './statistics.messages';
import { FIGURES, type Figure, readStatisticsSearch, type Split, type StatisticsSearch } from './statistics-search';

interface Props {
  readonly by: Split;
  readonly search: StatisticsSearch;
  /** Undefined while they are loaded. */
  readonly rows: readonly Row[] | undefined;
}

/** The figures of each value of a split. */
export function FiguresTable({ by, search, rows }: Props) {
  const text = useMessages();
  if (!rows) return <Skeleton height={240} />;
  return (
    <WideTable minWidth={820} label={text.title}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>{text.splits[by]}</Table.Th>
          {FIGURES.map((figure) => (
            <Table.Th key={figure} ta="right">
              {text.figures[figure]}
            </Table.Th>
          ))}
          <Table.Th />
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {rows.map((row) => (
          <FiguresRow key={String(row.key)} by={by} search={search} row={row} />
        ))}
      </Table.Tbody>
    </WideTable>
  );
}

function FiguresRow({ by, search, row }: { by: Split; search: StatisticsSearch; row: Row }) {
  const text = useMessages();
  const write = useFigureFormat();
  const name = useName(by, row.key);
  const isKnown = row.key !== null;
  const only = { ...search, [by]: row.key ?? undefined };
  const to = (changes: object) => readStatisticsSearch({ ...only, ...changes });
  /** What a figure of the row counts: refusals by rule, the others by medium, those of a medium by day. */
  const splitOf = (figure: Figure): Split =>
    figure === 'refused' && by !== 'rule' ? 'rule' : by === 'mediaContainer' ? 'day' : 'mediaContainer';
  const countedBy = (figure: Figure) => to({ by: splitOf(figure), figure });
  const labelOf = (figure: Figure) => text.figureOf(text.figures[figure], write(figure, row[figure]), name, text.splits[splitOf(figure)]);
  return (
    <Table.Tr>
      <Table.Td maw={320} className="foreign" dir="auto">
        <Subject by={by} row={row} name={name} />
      </Table.Td>
      {FIGURES.map((figure) => (
        <Table.Td key={figure} ta="right">
          {row[figure] > 0 && isKnown ? (
            <TextLink size="sm" to="/statistics" search={countedBy(figure)} aria-label={labelOf(figure)}>
              {write(figure, row[figure])}
            </TextLink>
          ) : (
            write(figure, row[figure])
          )}
        </Table.Td>
      ))}
      <Table.Td ta="right">
        {isKnown && (
          <TextLink
            size="sm"
            to="/statistics"
            search={to({ by: by === 'mediaContainer' ? 'day' : 'mediaContainer' })}
            aria-label={text.onlyThisOne(name)}
          >
            {text.onlyThis}
          </TextLink>
        )}
      </Table.Td>
    </Table.Tr>
  );
}

/** The name of what was counted, which leads to its page where it has one. */
function Subject({ by, row, name }: { by: Split; row: Row; name: string }) {
  if (row.key === null || (by !== 'mediaContainer' && by !== 'playerConfiguration')) return <>{name}</>;
  return (
    <TextLink size="sm" to={by === 'mediaContainer' ? '/media/$id' : '/player-configurations/$id'} params={{ id: String(row.key) }}>
      {name}
    </TextLink>
  );
}
