import { useFormats } from '../language';
import { useMedium } from '../medium/queries';
import { useMessages as useConfigurationMessages } from '../player-configurations/configurations.messages';
import { useConfigurationNames } from '../player-configurations/queries';
import { useMessages } from './statistics.messages';
import type { Device, Figure, Split } from './statistics-search';

type Key = string | number | null;

/** The name of what a row or filter stands for: a date, a name that people gave, or what the service calls it. */
export function useName(by: Split, key: Key): string {
  const text = useMessages();
  const { rules } = useConfigurationMessages();
  const { date } = useFormats();
  const { data: medium } = useMedium(Number(key), by === 'mediaContainer' && key !== null);
  const { data: configurations } = useConfigurationNames();
  if (key === null) return text.without[by];
  const numbered = () => text.numbered(text.splits[by], Number(key));
  const names: Record<Split, () => string> = {
    day: () => date(String(key)),
    mediaContainer: () => medium?.name || numbered(),
    embedLink: numbered,
    playerConfiguration: () => configurations?.get(Number(key)) ?? numbered(),
    host: () => String(key),
    device: () => text.devices[key as Device] ?? String(key),
    rule: () => rules[key as keyof typeof rules] ?? String(key),
  };
  return names[by]();
}

/** How a figure is written: a count, a time as 1:02:03, or a size. */
export function useFigureFormat(): (figure: Figure, value: number) => string {
  const { number, size, duration } = useFormats();
  return (figure, value) => (figure === 'bytes' ? size(value) : figure === 'watchedSeconds' ? duration(value) : number(value));
}
