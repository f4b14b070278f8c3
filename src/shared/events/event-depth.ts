import { AsyncLocalStorage } from 'node:async_hooks';

/** The chain of events that led to the present work. */
interface Chain {
  readonly depth: number;
  readonly rootEventId: string | null;
}

const ambient = new AsyncLocalStorage<Chain>();

/** How many events led to the present work: 0 for a request of a person or client, one more than that of the event for an instruction. */
export const currentEventDepth = (): number => ambient.getStore()?.depth ?? 0;

/** The event with which the present chain began; null: there is no chain, or a process of an earlier version did not record it. */
export const currentRootEvent = (): string | null => ambient.getStore()?.rootEventId ?? null;

/** Runs `work`; events that it publishes are of this depth, and belong to the chain that began with `rootEventId`. */
export const atEventDepth = <T>(depth: number, work: () => T, rootEventId: string | null = null): T =>
  ambient.run({ depth, rootEventId }, work);
