import { AsyncLocalStorage } from 'node:async_hooks';

const ids = new AsyncLocalStorage<string>();

/** Runs `work` for the request with this id: log lines about failures that it causes contain the id, in any part of the service. */
export const forRequest = <T>(id: string, work: () => T): T => ids.run(id, work);

/** The id of the current request; undefined: background work. */
export const currentRequestId = (): string | undefined => ids.getStore();
