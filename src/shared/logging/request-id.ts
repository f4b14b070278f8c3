import { ContextVariable } from '../context-variable.js';

const ids = new ContextVariable<string>();

/** Runs `work` for the request with this id: log lines about failures in any part of `work` contain the id. */
export const forRequest = <T>(id: string, work: () => T): T => ids.run(id, work);

/** The id of the current request; undefined in background work. */
export const currentRequestId = (): string | undefined => ids.get();
