import { useElementSize, useMergedRef } from '@mantine/hooks';
import { useNavigate } from '@tanstack/react-router';
import { defaultRangeExtractor, type Range, useWindowVirtualizer } from '@tanstack/react-virtual';
import { useCallback, useEffect, useEffectEvent, useLayoutEffect, useRef, useState } from 'react';
import { moveByKey } from './grid-keys';
import { useMessages } from './library.messages';
import { LIST_ROW_HEIGHT, MediumRow, MediumTile } from './medium-tile';
import type { Medium } from './queries';
import { readScrollPosition, storeScrollPosition } from './scroll-position';

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

interface Props {
  /** The media that have been loaded, from the first one on. */
  readonly media: readonly Medium[];
  /** How many there are. */
  readonly total: number;
  readonly isList: boolean;
  readonly selected: ReadonlySet<number>;
  readonly onSelect: (ids: ReadonlySet<number>) => void;
  readonly onSelectAll: () => void;
  /** Loads as far as the medium of this index. */
  readonly onNeed: (index: number) => void;
}

/**
 * A grid of which the rows on the screen are rendered. The arrow keys move, Space selects, Shift extends the selection from where it began, Enter
 * opens; with the mouse Shift selects a range, Ctrl or the checkbox a single medium.
 */
export function MediaGrid({ media, total, isList, selected, onSelect, onSelectAll, onNeed }: Props) {
  const text = useMessages();
  const navigate = useNavigate();
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
  const [active, setActive] = useState(0);
  const activeRow = Math.floor(active / columns);
  const rows = useWindowVirtualizer({
    count: Math.ceil(total / columns),
    estimateSize: () => rowHeight,
    overscan: OVERSCAN,
    scrollMargin: offset,
    scrollPaddingStart: HEADER_HEIGHT,
    scrollPaddingEnd: BAR_HEIGHT,
    isScrollingResetDelay: SCROLL_END_MS,
    // The row with the focus stays, wherever the person scrolls.
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

  const shown = rows.getVirtualItems();
  const firstRow = rows.range?.startIndex ?? 0;
  const lastRow = (rows.range?.endIndex ?? 0) + OVERSCAN;
  const needed = Math.min(total, (lastRow + 1) * columns) - 1;
  useEffect(() => onNeed(needed), [needed, onNeed]);

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

  const anchor = useRef<number | null>(null);
  const toggle = (index: number) => {
    const medium = media[index];
    if (!medium) return;
    const next = new Set(selected);
    if (!next.delete(medium.id)) next.add(medium.id);
    anchor.current = index;
    onSelect(next);
  };
  const extend = (from: number, to: number) => {
    anchor.current ??= from;
    const [first, last] = [Math.min(anchor.current, to), Math.max(anchor.current, to)];
    onSelect(new Set([...selected, ...media.slice(first, last + 1).map(({ id }) => id)]));
  };
  const moveTo = (index: number) => {
    setActive(index);
    rows.scrollToIndex(Math.floor(index / columns));
    requestAnimationFrame(() => grid.current?.querySelector<HTMLElement>(`[data-index="${index}"]`)?.focus({ preventScroll: true }));
  };
  const open = (index: number) => {
    const medium = media[index];
    if (medium) void navigate({ to: '/media/$id', params: { id: String(medium.id) } });
  };
  const keyDown = (event: React.KeyboardEvent) => {
    const rowsOfScreen = Math.max(1, Math.floor((innerHeight - HEADER_HEIGHT - BAR_HEIGHT) / rowHeight));
    const target = event.altKey ? undefined : moveByKey(event.key, active, { count: total, columns, rowsOfScreen });
    if (target !== undefined) {
      if (event.shiftKey) extend(active, target);
      moveTo(target);
    } else if (event.key === ' ') event.shiftKey ? extend(anchor.current ?? active, active) : toggle(active);
    else if (event.key === 'Enter') open(active);
    else if (event.key === 'Escape' && selected.size > 0) onSelect(new Set());
    else if (event.key === 'a' && (event.ctrlKey || event.metaKey)) onSelectAll();
    else return;
    event.preventDefault();
  };
  // Before anything has the focus, the keys of the selection work as well.
  const keyOfPage = useEffectEvent((event: KeyboardEvent) => {
    if (event.target !== document.body || document.querySelector('[aria-modal=true]')) return;
    if (event.key === 'a' && (event.ctrlKey || event.metaKey)) onSelectAll();
    else if (event.key === 'Escape' && selected.size > 0) onSelect(new Set());
    else return;
    event.preventDefault();
  });
  useEffect(() => {
    addEventListener('keydown', keyOfPage);
    return () => removeEventListener('keydown', keyOfPage);
  }, []);
  const click = (index: number, event: React.MouseEvent) => {
    const isOnCheckbox = event.target instanceof HTMLInputElement;
    if (!event.shiftKey && !event.ctrlKey && !event.metaKey && !isOnCheckbox) return; // a link opens the medium
    if (!isOnCheckbox) event.preventDefault();
    setActive(index);
    if (event.shiftKey) extend(index, index);
    else toggle(index);
  };

  return (
    // biome-ignore lint/a11y/useSemanticElements: a table cannot wrap its cells into rows of any number
    <div
      ref={ref}
      role="grid"
      tabIndex={-1}
      aria-label={text.media}
      aria-multiselectable="true"
      aria-rowcount={rows.options.count}
      aria-colcount={columns}
      className="media-grid"
      style={{ height: rows.getTotalSize() }}
      onKeyDown={keyDown}
    >
      {shown.map(({ index: row, start }) => (
        // biome-ignore lint/a11y/useFocusableInteractive: the cells take the focus
        // biome-ignore lint/a11y/useSemanticElements: see above
        <div key={row} role="row" aria-rowindex={row + 1}>
          {Array.from({ length: Math.min(columns, total - row * columns) }, (_, column) => {
            const index = row * columns + column;
            const medium = media[index];
            const isSelected = medium !== undefined && selected.has(medium.id);
            const Shown = isList ? MediumRow : MediumTile;
            return (
              // biome-ignore lint/a11y/useSemanticElements: see above
              // biome-ignore lint/a11y/useKeyWithClickEvents: the grid handles the keys of all its cells
              <div
                key={index}
                role="gridcell"
                data-index={index}
                tabIndex={index === active ? 0 : -1}
                aria-selected={isSelected}
                aria-busy={medium === undefined || undefined}
                aria-label={medium ? undefined : text.loading}
                className="media-cell"
                style={{ top: start - offset, left: column * (tileWidth + GAP), width: tileWidth, height: rowHeight - (isList ? 0 : GAP) }}
                onClick={(event) => click(index, event)}
                onFocus={() => setActive(index)}
              >
                {medium ? <Shown medium={medium} isSelected={isSelected} /> : <div className="tile-picture" />}
              </div>
            );
          })}
        </div>
      ))}
    </div>
  );
}
