import { AsyncLocalStorage } from 'node:async_hooks';

/** What led to what runs now. */
interface Chain {
  readonly depth: number;
  readonly rootEventId: string | null;
}

const ambient = new AsyncLocalStorage<Chain>();

/** How many events led to what runs now: 0 for what people and clients do, one more than the event's own for what a subscription does. */
export const currentEventDepth = (): number => ambient.getStore()?.depth ?? 0;

/** The event with which the chain began that led to what runs now; null: there was none, or a process of an earlier version did not say. */
export const currentRootEvent = (): string | null => ambient.getStore()?.rootEventId ?? null;

/** Runs `work`; events that it publishes are of this depth, and belong to the chain that began with `rootEventId`. */
export const atEventDepth = <T>(depth: number, work: () => T, rootEventId: string | null = null): T =>
  ambient.run({ depth, rootEventId }, work);
