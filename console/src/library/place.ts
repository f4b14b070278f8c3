/** The member of the state of a history entry that has the place. */
const PLACE = 'libraryPlace';

/** The index of the first medium that was on the screen when this entry of the history was left; 0: none was noted. */
export const readPlace = (): number => Number((history.state as Record<string, unknown> | null)?.[PLACE] ?? 0);

/** Notes it in the entry. The router need not know: it would evaluate the address again. */
export function notePlace(index: number): void {
  if (readPlace() === index) return;
  History.prototype.replaceState.call(history, { ...(history.state as object | null), [PLACE]: index }, '');
}

/** The part of the state that a changed entry of the history has to keep. */
export const placeState = () => ({ [PLACE]: readPlace() });
