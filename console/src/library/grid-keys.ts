/** The shape of a list on the screen. */
export interface Shape {
  readonly count: number;
  readonly columns: number;
  /** Rows that fit the screen. */
  readonly rowsOfScreen: number;
}

/** The index to which a key leads from `index`; undefined: the key does not move. */
export function moveByKey(key: string, index: number, { count, columns, rowsOfScreen }: Shape): number | undefined {
  const steps: Readonly<Record<string, number>> = {
    ArrowRight: 1,
    ArrowLeft: -1,
    ArrowDown: columns,
    ArrowUp: -columns,
    PageDown: columns * rowsOfScreen,
    PageUp: -columns * rowsOfScreen,
    Home: -count,
    End: count,
  };
  const step = Object.hasOwn(steps, key) ? steps[key] : undefined;
  if (step === undefined) return undefined;
  const target = index + step;
  const staysInColumn = key === 'ArrowDown' || key === 'ArrowUp';
  if (staysInColumn && (target < 0 || target >= count)) return index;
  return Math.max(0, Math.min(count - 1, target));
}
