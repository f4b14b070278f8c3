import { Button, Group, NativeSelect, TextInput } from '@mantine/core';
import { useMessages } from './statistics.messages';
import { daysBefore, periodOf, SPLITS, type StatisticsSearch } from './statistics-search';

/** Periods that end today, in days. */
const PERIODS = [7, 30, 90, 365] as const;

interface Props {
  readonly search: StatisticsSearch;
  readonly onChange: (changes: Readonly<Record<string, unknown>>) => void;
}

/** Chooses the period, and what the figures are split by. */
export function PeriodFields({ search, onChange }: Props) {
  const text = useMessages();
  const now = new Date();
  const { from, to } = periodOf(search, now);
  const today = periodOf({}, now).to;
  return (
    <Group align="flex-end">
      <TextInput
        type="date"
        label={text.from}
        value={from}
        max={to}
        onChange={({ currentTarget: { value } }) => value && onChange({ from: value, to })}
      />
      <TextInput
        type="date"
        label={text.to}
        value={to}
        min={from}
        onChange={({ currentTarget: { value } }) => value && onChange({ from, to: value })}
      />
      <Group gap="xs" role="group" aria-label={text.periods}>
        {PERIODS.map((days) => {
          const first = daysBefore(today, days - 1);
          const isShown = to === today && from === first;
          return (
            <Button
              key={days}
              px="sm"
              variant={isShown ? 'filled' : 'default'}
              aria-pressed={isShown}
              onClick={() => onChange({ from: first, to: undefined })}
            >
              {text.lastDays(days)}
            </Button>
          );
        })}
      </Group>
      <NativeSelect
        label={text.by}
        value={search.by ?? 'day'}
        data={SPLITS.map((value) => ({ value, label: text.splits[value] }))}
        onChange={({ currentTarget: { value } }) => onChange({ by: value })}
      />
    </Group>
  );
}
