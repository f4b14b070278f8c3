/**
 * On this channel of PostgreSQL dispatchers are told of runs: `ready`, `held` (those of subscriptions that act once), `changed 7` (subscriptions of
 * the customer 7 are not what they were), or nothing known (empty).
 */
export const RUNS_CHANNEL = 'subscription_runs';

/** How it is told that a subscription of a customer was replaced or deleted. */
export const changedSubscriptions = (customerId: number): string => `changed ${customerId}`;

/** The customer of such a message; null for another one. */
export const customerOfChange = (message: string): string | null => /^changed (\d+)$/.exec(message)?.[1] ?? null;
