import { useElementSize, useMergedRef } from '@mantine/hooks';
import { defaultRangeExtractor, type Range, useWindowVirtualizer } from '@tanstack/react-virtual';
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { LIST_ROW_HEIGHT } from './medium-tile';
import { useScrollPosition } from './scroll-position';

const TILE_WIDTH = 200;
const GAP = 16;
/** Name and details below the picture. */
const CAPTION_HEIGHT = 52;
/** Rows beyond the screen that are rendered, so that fast scrolling shows no gaps. */
const OVERSCAN = 4;
/** The header of the page and the bar of the selection, behind which a medium is not in sight. */
const HEADER_HEIGHT = 72;
const BAR_HEIGHT = 96;
/** Scrolling has ended when nothing moved for this time. */
const SCROLL_END_MS = 150;

/** The width of the list when it was last shown: with it the way back leads to the same place at once. */
let lastWidth = 0;

interface Options {
  /** How many media there are. */
  readonly total: number;
  readonly isList: boolean;
  /** The index of the medium with the focus. Its row stays rendered, wherever the person scrolls. */
  readonly active: number;
  /** Loads as far as the medium of this index. */
  readonly onNeed: (index: number) => void;
}

/** The rows of a grid that are on the screen: as many columns as fit, media loaded as they come into sight, and the place where it was left. */
export function useGridRows({ total, isList, active, onNeed }: Options) {
  const { ref: sizeRef, width: measured } = useElementSize<HTMLDivElement>();
  const grid = useRef<HTMLDivElement>(null);
  const ref = useMergedRef(sizeRef, grid);
  const width = measured || lastWidth || document.documentElement.clientWidth - 2 * GAP;
  useEffect(() => {
    if (measured > 0) lastWidth = measured;
  }, [measured]);
  const [offset, setOffset] = useState(0);
  useLayoutEffect(() => setOffset((grid.current?.getBoundingClientRect().top ?? 0) + scrollY), []);

  const columns = isList ? 1 : Math.max(2, Math.floor((width + GAP) / (TILE_WIDTH + GAP)));
  const tileWidth = (width - GAP * (columns - 1)) / columns;
  const rowHeight = isList ? LIST_ROW_HEIGHT : (tileWidth * 10) / 16 + CAPTION_HEIGHT + GAP;
  const activeRow = Math.floor(active / columns);
  const rows = useWindowVirtualizer({
    count: Math.ceil(total / columns),
    estimateSize: () => rowHeight,
    overscan: OVERSCAN,
    scrollMargin: offset,
    scrollPaddingStart: HEADER_HEIGHT,
    scrollPaddingEnd: BAR_HEIGHT,
    isScrollingResetDelay: SCROLL_END_MS,
    rangeExtractor: useCallback(
      (range: Range) => {
        const inSight = defaultRangeExtractor(range);
        const isThere = inSight.includes(activeRow) || activeRow >= range.count;
        return isThere ? inSight : [...inSight, activeRow].sort((left, right) => left - right);
      },
      [activeRow],
    ),
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: rows are measured again when their height changes
  useEffect(() => rows.measure(), [rowHeight]);

  const lastRow = (rows.range?.endIndex ?? 0) + OVERSCAN;
  const needed = Math.min(total, (lastRow + 1) * columns) - 1;
  useEffect(() => onNeed(needed), [needed, onNeed]);
  useScrollPosition(rows, columns, total);

  return {
    ref,
    rows,
    columns,
    rowsOfScreen: () => Math.max(1, Math.floor((innerHeight - HEADER_HEIGHT - BAR_HEIGHT) / rowHeight)),
    cellStyle: (rowStart: number, column: number) => ({
      top: rowStart - offset,
      left: column * (tileWidth + GAP),
      width: tileWidth,
      height: rowHeight - (isList ? 0 : GAP),
    }),
    focus: (index: number) => {
      rows.scrollToIndex(Math.floor(index / columns));
      requestAnimationFrame(() => grid.current?.querySelector<HTMLElement>(`[data-index="${index}"]`)?.focus({ preventScroll: true }));
    },
  };
}
