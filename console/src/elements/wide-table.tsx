import { Table } from '@mantine/core';
import type { ReactNode } from 'react';

/** A table that scrolls by itself, by keyboard too, where it is wider than the screen. `minWidth` in pixels. */
export function WideTable({ minWidth, label, children }: { minWidth: number; label: string; children: ReactNode }) {
  return (
    <Table.ScrollContainer minWidth={minWidth} scrollAreaProps={{ viewportProps: { tabIndex: 0, role: 'region', 'aria-label': label } }}>
      <Table verticalSpacing="sm" aria-label={label}>
        {children}
      </Table>
    </Table.ScrollContainer>
  );
}
