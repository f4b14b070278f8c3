import { AsyncLocalStorage } from 'node:async_hooks';

const ids = new AsyncLocalStorage<string>();

/** Runs `work` for the request of this id: lines about failures that follow from it contain the id, in whatever part of the service they occur. */
export const forRequest = <T>(id: string, work: () => T): T => ids.run(id, work);

/** The request whose work this is; undefined: background work. */
export const currentRequestId = (): string | undefined => ids.getStore();
