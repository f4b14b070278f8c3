import { Group, Stack, Text, VisuallyHidden } from '@mantine/core';
import { useFormats } from '../language';
import { useFigureFormat } from './names';
import type { Row } from './queries';
import { useMessages } from './statistics.messages';
import type { Figure } from './statistics-search';

/** The drawing is stretched to the width of the page; these are its own units. */
const [WIDTH, HEIGHT] = [1_000, 200];

interface Props {
  readonly days: readonly string[];
  readonly rows: readonly Row[];
  readonly figure: Figure;
  /** Whether the page shows a table of the days anyway. */
  readonly hasTable: boolean;
}

/** A bar for each day of the period; the same figures in words for screen readers. */
export function DayChart({ days, rows, figure, hasTable }: Props) {
  const text = useMessages();
  const { date } = useFormats();
  const write = useFigureFormat();
  const byDay = new Map(rows.map((row) => [String(row.key), row[figure]]));
  const bars = days.map((day) => ({ day, value: byDay.get(day) ?? 0 }));
  const most = Math.max(0, ...bars.map(({ value }) => value));
  const step = WIDTH / Math.max(bars.length, 1);
  const caption = text.perDay(text.figures[figure]);
  return (
    <Stack gap={4}>
      <Group justify="space-between">
        <Text size="sm" fw={600}>
          {caption}
        </Text>
        <Text size="sm">{text.most(write(figure, most))}</Text>
      </Group>
      <svg className="day-chart" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={caption}>
        {bars.map(({ day, value }, index) => {
          const height = most > 0 ? (value / most) * HEIGHT : 0;
          return (
            <rect key={day} x={index * step + step * 0.1} y={HEIGHT - height} width={step * 0.8} height={height}>
              <title>{text.onDay(date(day), write(figure, value))}</title>
            </rect>
          );
        })}
      </svg>
      <Group justify="space-between">
        <Text size="sm">{date(days[0] ?? '')}</Text>
        <Text size="sm">{date(days.at(-1) ?? '')}</Text>
      </Group>
      {!hasTable && (
        <VisuallyHidden>
          <ul aria-label={caption}>
            {bars
              .filter(({ value }) => value > 0)
              .map(({ day, value }) => (
                <li key={day}>{text.onDay(date(day), write(figure, value))}</li>
              ))}
          </ul>
        </VisuallyHidden>
      )}
    </Stack>
  );
}
