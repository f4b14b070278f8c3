/** The member of the state of a history entry that has the position. */
const POSITION = 'libraryScrollPosition';

/** The index of the first medium that was on the screen when this entry of the history was left; 0: none was stored. */
export const readScrollPosition = (): number => Number((history.state as Record<string, unknown> | null)?.[POSITION] ?? 0);

/** Stores it in the entry. The router need not know: it would evaluate the address again. */
export function storeScrollPosition(index: number): void {
  if (readScrollPosition() === index) return;
  History.prototype.replaceState.call(history, { ...(history.state as object | null), [POSITION]: index }, '');
}

/** The part of the state that a changed entry of the history has to keep. */
export const scrollPositionState = () => ({ [POSITION]: readScrollPosition() });
