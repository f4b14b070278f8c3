import type { Virtualizer } from '@tanstack/react-virtual';
import { useEffect, useRef } from 'react';

/** The member of the state of a history entry that has the position. */
const POSITION = 'libraryScrollPosition';

/** The index of the first medium that was on the screen when this entry of the history was left; 0: none was stored. */
const readScrollPosition = (): number => Number((history.state as Record<string, unknown> | null)?.[POSITION] ?? 0);

/** Stores it in the entry. The router need not know: it would evaluate the address again. */
function storeScrollPosition(index: number): void {
  if (readScrollPosition() === index) return;
  History.prototype.replaceState.call(history, { ...(history.state as object | null), [POSITION]: index }, '');
}

/** The part of the state that a changed entry of the history has to keep. */
export const scrollPositionState = () => ({ [POSITION]: readScrollPosition() });

/** Scrolls a grid to where it was when this entry of the history was left, and stores where it is whenever scrolling has ended. */
export function useScrollPosition(rows: Virtualizer<Window, Element>, columns: number, total: number): void {
  const firstRow = rows.range?.startIndex ?? 0;
  const position = useRef(readScrollPosition());
  useEffect(() => {
    const wanted = position.current;
    if (wanted === 0 || total === 0) return;
    position.current = 0;
    if (Math.abs(wanted - firstRow * columns) > columns) rows.scrollToIndex(Math.floor(wanted / columns), { align: 'start' });
  }, [total, firstRow, columns, rows]);
  useEffect(() => {
    if (!rows.isScrolling) storeScrollPosition(firstRow * columns);
  }, [rows.isScrolling, firstRow, columns]);
}
