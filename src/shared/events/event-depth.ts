import { ContextVariable } from '../context-variable.js';

/** The chain of events that led to the current work. */
interface Chain {
  readonly depth: number;
  readonly rootEventId: string | null;
}

const ambient = new ContextVariable<Chain>();

/** How many events led to the current work: 0 for a request of a person or client; for an instruction, one more than its event's depth. */
export const currentEventDepth = (): number => ambient.get()?.depth ?? 0;

/** The first event of the current chain; null: there is no chain, or a process of an earlier version did not record it. */
export const currentRootEvent = (): string | null => ambient.get()?.rootEventId ?? null;

/** Runs `work`; events that it publishes get this depth, and belong to the chain that began with `rootEventId`. */
export const atEventDepth = <T>(depth: number, work: () => T, rootEventId: string | null = null): T =>
  ambient.run({ depth, rootEventId }, work);
