import { useNavigate } from '@tanstack/react-router';
import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { type SelectionAction, selectionReducer } from '../elements/selection';
import { moveByKey } from './grid-keys';
import { useMessages } from './library.messages';
import { MediumRow, MediumTile } from './medium-tile';
import type { Medium } from './queries';
import { useGridRows } from './use-grid-rows';

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
export function MediaGrid(props: Props) {
  const { media, total, isList, selected, onNeed } = props;
  const text = useMessages();
  const navigate = useNavigate();
  const [active, setActive] = useState(0);
  const { ref, rows, columns, rowsOfScreen, cellStyle, focus } = useGridRows({ total, isList, active, onNeed });
  const { toggle, extend, selectByKey } = useGridSelection(props);
  const open = (index: number) => {
    const medium = media[index];
    if (medium) void navigate({ to: '/media/$id', params: { id: String(medium.id) } });
  };
  const keyDown = (event: React.KeyboardEvent) => {
    const shape = { count: total, columns, rowsOfScreen: rowsOfScreen() };
    const target = event.altKey ? undefined : moveByKey(event.key, active, shape);
    if (target !== undefined) {
      if (event.shiftKey) extend(active, target);
      setActive(target);
      focus(target);
    } else if (event.key === ' ') event.shiftKey ? extend(active, active) : toggle(active);
    else if (event.key === 'Enter') open(active);
    else return selectByKey(event);
    event.preventDefault();
  };
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
      {rows.getVirtualItems().map(({ index: row, start }) => (
        // biome-ignore lint/a11y/useFocusableInteractive: the cells take the focus
        // biome-ignore lint/a11y/useSemanticElements: see above
        <div key={row} role="row" aria-rowindex={row + 1}>
          {Array.from({ length: Math.min(columns, total - row * columns) }, (_, column) => {
            const index = row * columns + column;
            const medium = media[index];
            const isSelected = medium !== undefined && selected.has(medium.id);
            return (
              <Cell
                key={index}
                medium={medium}
                isList={isList}
                isSelected={isSelected}
                data-index={index}
                tabIndex={index === active ? 0 : -1}
                style={cellStyle(start, column)}
                onClick={(event) => click(index, event)}
                onFocus={() => setActive(index)}
              />
            );
          })}
        </div>
      ))}
    </div>
  );
}

interface CellProps extends React.ComponentProps<'div'> {
  /** Undefined: it is still being loaded. */
  readonly medium: Medium | undefined;
  readonly isList: boolean;
  readonly isSelected: boolean;
}

function Cell({ medium, isList, isSelected, ...place }: CellProps) {
  const text = useMessages();
  const Shown = isList ? MediumRow : MediumTile;
  return (
    // biome-ignore lint/a11y/useSemanticElements: see above
    // biome-ignore lint/a11y/useFocusableInteractive: the grid says which cell can have the focus
    <div
      role="gridcell"
      aria-selected={isSelected}
      aria-busy={medium === undefined || undefined}
      aria-label={medium ? undefined : text.loading}
      className="media-cell"
      {...place}
    >
      {medium ? <Shown medium={medium} isSelected={isSelected} /> : <div className="tile-picture" />}
    </div>
  );
}

/** Changes the selection. Ctrl and A select all media and Escape none, also before anything has the focus. */
function useGridSelection({ media: items, selected, onSelect, onSelectAll }: Props) {
  const anchor = useRef<number | null>(null);
  const change = (action: SelectionAction) => {
    const next = selectionReducer({ ids: selected, anchor: anchor.current }, action);
    anchor.current = next.anchor;
    if (next.ids !== selected) onSelect(next.ids);
  };
  const selectByKey = (event: React.KeyboardEvent | KeyboardEvent) => {
    if (event.key === 'a' && (event.ctrlKey || event.metaKey)) onSelectAll();
    else if (event.key === 'Escape' && selected.size > 0) onSelect(new Set());
    else return;
    event.preventDefault();
  };
  const keyOfPage = useEffectEvent((event: KeyboardEvent) => {
    if (event.target === document.body && !document.querySelector('[aria-modal=true]')) selectByKey(event);
  });
  useEffect(() => {
    addEventListener('keydown', keyOfPage);
    return () => removeEventListener('keydown', keyOfPage);
  }, []);
  return {
    toggle: (index: number) => change({ type: 'toggle', items, index }),
    extend: (from: number, to: number) => change({ type: 'extend', items, from, to }),
    selectByKey,
  };
}
