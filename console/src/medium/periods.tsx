import { Card, Group, Stack, Text, Title } from '@mantine/core';
import { useFormats } from '../language';
import { dayOf } from '../library/license';
import type { Container } from '../library/queries';
import { useMessages } from './medium.messages';
import { type Period, timelineOf } from './timeline';

/** When a medium is delivered and licensed, on a line of time with today on it. */
export function Periods({ container }: { container: Container }) {
  const text = useMessages();
  const formats = useFormats();
  // Days of licences and deliveries are those of UTC, wherever the person is.
  const date = (time: string) => formats.date(`${dayOf(time)}T12:00:00`);
  const line = timelineOf(container, Date.now());
  if (!line) return null;
  const words = ({ start, end }: Period) =>
    start && end ? text.fromTo(date(start), date(end)) : start ? text.from(date(start)) : text.to(date(end as string));
  return (
    <Card withBorder component="section" aria-label={text.periods}>
      <Stack gap="sm">
        <Title order={2} size="h4">
          {text.periods}
        </Title>
        {line.periods.map((period) => (
          <div key={period.kind}>
            <Group justify="space-between" gap="xs">
              <Text size="sm" fw={600}>
                {text.periodKinds[period.kind]}
              </Text>
              <Text size="sm">{words(period)}</Text>
            </Group>
            <div className="timeline" aria-hidden="true">
              <div
                className="timeline-period"
                data-over={line.today > period.to || line.today < period.from || undefined}
                style={{ left: `${period.from}%`, width: `${Math.max(0.5, period.to - period.from)}%` }}
              />
              <div className="timeline-today" style={{ left: `${line.today}%` }} />
            </div>
          </div>
        ))}
        <Text size="sm">
          {text.today}: {formats.date(new Date())}
        </Text>
      </Stack>
    </Card>
  );
}
