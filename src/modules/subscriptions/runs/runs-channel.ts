/**
 * The channel of PostgreSQL on which workers are notified of runs: `ready`, `held` (those of subscriptions that act once), `changed 7` (subscriptions of
 * the customer 7 were replaced or deleted), or empty (anything).
 */
export const RUNS_CHANNEL = 'subscription_runs';

/** The message after a subscription of a customer was replaced or deleted. */
export const changedSubscriptions = (customerId: number): string => `changed ${customerId}`;

/** The customer of such a message; null for another one. */
export const customerOfChange = (message: string): string | null => /^changed (\d+)$/.exec(message)?.[1] ?? null;
