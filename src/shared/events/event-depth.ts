import { AsyncLocalStorage } from 'node:async_hooks';

const ambient = new AsyncLocalStorage<number>();

/** How many events led to what runs now: 0 for what people and clients do, one more than the event's own for what a subscription does. */
export const currentEventDepth = (): number => ambient.getStore() ?? 0;

/** Runs `work`; events that it publishes are of this depth. */
export const atEventDepth = <T>(depth: number, work: () => T): T => ambient.run(depth, work);
