import { Checkbox, Group, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { memo, useState } from 'react';
import { AudioIcon, DocumentIcon, ImageIcon, VideoIcon } from '../elements/icons';
import { ProblemName } from '../elements/media-problems';
import { useFormats } from '../language';
import { useMessages } from './library.messages';
import type { Medium } from './queries';

export const LIST_ROW_HEIGHT = 76;
/** More tags of a medium do not fit a line. */
const MAX_TAGS = 20;

interface Props {
  readonly medium: Medium;
  readonly isSelected: boolean;
}

/** A medium in the grid: its picture, with name and details below. Rendered again only when it changes, not while people scroll. */
export const MediumTile = memo(function MediumTile({ medium, isSelected }: Props) {
  const { size, date, duration } = useFormats();
  return (
    <div className="tile" data-selected={isSelected || undefined}>
      <div className="tile-picture">
        <Link to="/media/$id" params={{ id: String(medium.id) }} tabIndex={-1} aria-hidden="true" draggable={false}>
          <Picture medium={medium} />
        </Link>
        <Select medium={medium} isSelected={isSelected} className="tile-check" />
        {medium.duration !== null && <span className="tile-badge">{duration(medium.duration)}</span>}
      </div>
      <div>
        <Name medium={medium} />
        {medium.problem ? (
          <ProblemName problem={medium.problem} />
        ) : (
          <Text size="xs" c="dimmed" truncate>
            {date(medium.createdAt)} · {size(medium.fileSize)}
          </Text>
        )}
      </div>
    </div>
  );
});

/** A medium in the list: picture, name, tags, size and date in one line. */
export const MediumRow = memo(function MediumRow({ medium, isSelected }: Props) {
  const { size, date, list } = useFormats();
  return (
    <Group wrap="nowrap" gap="md" h={LIST_ROW_HEIGHT} className="media-row" data-selected={isSelected || undefined}>
      <Select medium={medium} isSelected={isSelected} />
      <div className="tile-picture media-row-picture">
        <Picture medium={medium} />
      </div>
      <div className="media-row-text">
        <Name medium={medium} />
        {medium.problem && <ProblemName problem={medium.problem} />}
        <Text size="xs" c="dimmed" truncate className="foreign">
          {list(medium.tags.slice(0, MAX_TAGS))}
        </Text>
      </div>
      <Text size="sm" visibleFrom="sm">
        {size(medium.fileSize)}
      </Text>
      <Text size="sm" visibleFrom="sm">
        {date(medium.createdAt)}
      </Text>
    </Group>
  );
});

function Name({ medium }: { medium: Medium }) {
  return (
    <Link to="/media/$id" params={{ id: String(medium.id) }} className="tile" tabIndex={-1} draggable={false}>
      <span className="tile-name" dir="auto" title={medium.name}>
        {medium.name}
      </span>
    </Link>
  );
}

/** The cell around it handles clicks and keys. */
function Select({ medium, isSelected, className }: Props & { className?: string }) {
  const text = useMessages();
  return <Checkbox className={className} checked={isSelected} readOnly tabIndex={-1} aria-label={text.select(medium.name)} />;
}

const SYMBOLS = { video: VideoIcon, audio: AudioIcon, image: ImageIcon } as const;

/** The preview of a medium, or a symbol of its type. */
function Picture({ medium: { type, preview } }: { medium: Medium }) {
  const [broken, setBroken] = useState<string | null>(null);
  const Symbol_ = SYMBOLS[type as keyof typeof SYMBOLS] ?? DocumentIcon;
  if (!preview || broken === preview.url) {
    return (
      <div className="tile-symbol">
        <Symbol_ size={40} />
      </div>
    );
  }
  const { url, width, height } = preview;
  return <img src={url} width={width} height={height} alt="" loading="lazy" draggable={false} onError={() => setBroken(url)} />;
}
