import { Card, Group, Stack, Text, Title, VisuallyHidden } from '@mantine/core';
import { useFormats } from '../language';
import { useMessages } from './medium.messages';
import { useRetention, useWatched } from './queries';

const HEIGHT = 40;

/** How often a medium was watched in the last 30 days, and which share of its plays saw each hundredth of it. */
export function Watched({ id }: { id: number }) {
  const text = useMessages();
  const { number, duration } = useFormats();
  const { data: row } = useWatched(id);
  const { data: shares } = useRetention(id);
  if (!row || !shares) return null;
  const figures = [
    [text.plays, number(row.plays)],
    [text.watchTime, duration(row.watchedSeconds)],
    [text.finished, number(row.finished)],
    [text.downloads, number(row.downloads)],
    [text.refused, number(row.refused)],
  ] as const;
  const points = shares.map((share, n) => `${n},${HEIGHT * (1 - share)}`).join(' ');
  return (
    <Card withBorder>
      <Stack>
        <Title order={2} size="h4">
          {text.watched}
        </Title>
        <Group component="dl" gap="xl" m={0}>
          {figures.map(([name, value]) => (
            <div key={name}>
              <Text component="dt" size="sm">
                {name}
              </Text>
              <Text component="dd" m={0} fw={600}>
                {value}
              </Text>
            </div>
          ))}
        </Group>
        {row.plays > 0 && (
          <figure className="retention">
            <svg viewBox={`0 0 99 ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true" focusable="false">
              <polyline points={points} fill="none" stroke="currentColor" strokeWidth="2" vectorEffect="non-scaling-stroke" />
            </svg>
            <Text component="figcaption" size="sm">
              {text.retention}
              <VisuallyHidden>
                {[0, 25, 50, 75, 99].map((n) => text.retentionAt(n, Math.round((shares[n] ?? 0) * 100))).join(' ')}
              </VisuallyHidden>
            </Text>
          </figure>
        )}
      </Stack>
    </Card>
  );
}
