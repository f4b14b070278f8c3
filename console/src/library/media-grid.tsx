import { Checkbox, Group, Text } from '@mantine/core';
import { useElementSize, useMergedRef } from '@mantine/hooks';
import { Link } from '@tanstack/react-router';
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import { AudioIcon, DocumentIcon, ImageIcon, VideoIcon } from '../elements/icons';
import { useFormatList } from '../formats/queries';
import { originalOf } from '../formats/try-format';
import { useFormats } from '../language';
import { useMessages } from './library.messages';
import type { Container } from './queries';

const TILE_WIDTH = 200;
const GAP = 16;
const LIST_ROW_HEIGHT = 76;
/** Name and details below the picture. */
const CAPTION_HEIGHT = 52;
/** Rows beyond the screen that are rendered, so that fast scrolling shows no gaps. */
const OVERSCAN = 4;

interface Props {
  readonly containers: readonly Container[];
  readonly isList: boolean;
  readonly selected: ReadonlySet<number>;
  readonly onSelect: (ids: ReadonlySet<number>) => void;
  readonly hasMore: boolean;
  readonly onMore: () => void;
}

/** Shows the rows that are on the screen, and asks for more before the end is reached. Shift selects a range. */
export function MediaGrid({ containers, isList, selected, onSelect, hasMore, onMore }: Props) {
  const { ref: sizeRef, width } = useElementSize<HTMLUListElement>();
  const list = useRef<HTMLUListElement>(null);
  const [offset, setOffset] = useState(0);
  useLayoutEffect(() => setOffset(list.current?.offsetTop ?? 0), []);
  const columns = isList ? 1 : Math.max(2, Math.floor((width + GAP) / (TILE_WIDTH + GAP)));
  const tileWidth = (width - GAP * (columns - 1)) / columns;
  const rowHeight = isList ? LIST_ROW_HEIGHT : (tileWidth * 10) / 16 + CAPTION_HEIGHT + GAP;
  const rows = useWindowVirtualizer({
    count: Math.ceil(containers.length / columns),
    estimateSize: () => rowHeight,
    overscan: OVERSCAN,
    scrollMargin: offset,
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: rows are measured again when their height changes
  useEffect(() => rows.measure(), [rowHeight]);
  const shown = rows.getVirtualItems();
  const last = shown.at(-1)?.index ?? 0;
  useEffect(() => {
    if (hasMore && last >= rows.options.count - OVERSCAN) onMore();
  }, [hasMore, last, onMore, rows.options.count]);

  const anchor = useRef<number | null>(null);
  const toggle = (index: number, isRange: boolean) => {
    const container = containers[index];
    if (!container) return;
    const next = new Set(selected);
    if (isRange && anchor.current !== null) {
      const [first, end] = [Math.min(anchor.current, index), Math.max(anchor.current, index)];
      for (const { id } of containers.slice(first, end + 1)) next.add(id);
    } else if (!next.delete(container.id)) next.add(container.id);
    anchor.current = index;
    onSelect(next);
  };
  const ref = useMergedRef(sizeRef, list);
  return (
    <ul ref={ref} style={{ position: 'relative', height: rows.getTotalSize(), margin: 0, padding: 0, listStyle: 'none' }}>
      {shown.flatMap(({ index: row, start }) =>
        containers.slice(row * columns, (row + 1) * columns).map((container, column) => {
          const index = row * columns + column;
          const place = { position: 'absolute', top: start - offset, left: column * (tileWidth + GAP), width: tileWidth } as const;
          const props = { container, isSelected: selected.has(container.id), onToggle: (range: boolean) => toggle(index, range) };
          return (
            <li key={container.id} style={place}>
              {isList ? <Row {...props} /> : <Tile {...props} />}
            </li>
          );
        }),
      )}
    </ul>
  );
}

interface TileProps {
  readonly container: Container;
  readonly isSelected: boolean;
  readonly onToggle: (isRange: boolean) => void;
}

function Tile({ container, isSelected, onToggle }: TileProps) {
  const { size, date } = useFormats();
  const { data: formats } = useFormatList();
  const original = originalOf(container, formats ?? []);
  return (
    <div className="tile" data-selected={isSelected || undefined}>
      <div className="tile-picture">
        <Link to="/media/$id" params={{ id: String(container.id) } as never} tabIndex={-1} aria-hidden="true">
          <Picture container={container} />
        </Link>
        <Select container={container} isSelected={isSelected} onToggle={onToggle} className="tile-check" />
        <Duration container={container} />
      </div>
      <div>
        <Name container={container} />
        <Text size="xs" c="dimmed">
          {date(container.createdAt)} · {size(original?.fileSize ?? 0)}
        </Text>
      </div>
    </div>
  );
}

function Row({ container, isSelected, onToggle }: TileProps) {
  const { size, date, list } = useFormats();
  const { data: formats } = useFormatList();
  const original = originalOf(container, formats ?? []);
  return (
    <Group wrap="nowrap" gap="md" h={LIST_ROW_HEIGHT} style={{ borderBottom: '1px solid var(--mantine-color-default-border)' }}>
      <Select container={container} isSelected={isSelected} onToggle={onToggle} />
      <div className="tile-picture" style={{ width: 96, flex: 'none' }}>
        <Picture container={container} />
      </div>
      <div style={{ flex: 1, minWidth: 0 }}>
        <Name container={container} />
        <Text size="xs" c="dimmed" truncate>
          {list(container.tags)}
        </Text>
      </div>
      <Text size="sm" visibleFrom="sm">
        {size(original?.fileSize ?? 0)}
      </Text>
      <Text size="sm" visibleFrom="sm">
        {date(container.createdAt)}
      </Text>
    </Group>
  );
}

function Name({ container }: { container: Container }) {
  return (
    <Link to="/media/$id" params={{ id: String(container.id) } as never} className="tile">
      <span className="tile-name" dir="auto" title={container.name.slice(0, 300)}>
        {container.name.slice(0, 300)}
      </span>
    </Link>
  );
}

function Select({ container, isSelected, onToggle, className }: TileProps & { className?: string }) {
  const text = useMessages();
  return (
    <Checkbox
      className={className}
      checked={isSelected}
      onChange={() => {}}
      onClick={(event) => onToggle(event.shiftKey)}
      aria-label={text.select(container.name.slice(0, 300))}
    />
  );
}

const SYMBOLS = { video: VideoIcon, audio: AudioIcon, image: ImageIcon } as const;

/** The preview of a container, or a symbol of its type. */
function Picture({ container }: { container: Container }) {
  const [isBroken, setBroken] = useState(false);
  const Symbol_ = SYMBOLS[container.type as keyof typeof SYMBOLS] ?? DocumentIcon;
  const preview = container.preview;
  if (!preview || isBroken) {
    return (
      <div className="tile-symbol">
        <Symbol_ size={40} />
      </div>
    );
  }
  return <img src={preview.url} width={preview.width} height={preview.height} alt="" loading="lazy" onError={() => setBroken(true)} />;
}

function Duration({ container }: { container: Container }) {
  const { duration } = useFormats();
  const seconds = container.media.find(({ duration: known }) => known)?.duration;
  return seconds ? <span className="tile-badge">{duration(seconds)}</span> : null;
}
