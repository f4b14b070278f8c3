import { Table } from '@mantine/core';
import type { ReactNode } from 'react';

interface Props {
  /** In pixels. */
  readonly minWidth: number;
  readonly label: string;
  /** The names of the columns, if `children` are rows only; an empty one is a column of buttons. */
  readonly columns?: readonly string[];
  readonly children: ReactNode;
}

/** A table that scrolls by itself, by keyboard too, where it is wider than the screen. */
export function WideTable({ minWidth, label, columns, children }: Props) {
  return (
    <Table.ScrollContainer minWidth={minWidth} scrollAreaProps={{ viewportProps: { tabIndex: 0, role: 'region', 'aria-label': label } }}>
      <Table verticalSpacing="sm" aria-label={label}>
        {columns ? (
          <>
            <Table.Thead>
              <Table.Tr>
                {columns.map((column) => (column ? <Table.Th key={column}>{column}</Table.Th> : <Table.Td key="buttons" />))}
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>{children}</Table.Tbody>
          </>
        ) : (
          children
        )}
      </Table>
    </Table.ScrollContainer>
  );
}
