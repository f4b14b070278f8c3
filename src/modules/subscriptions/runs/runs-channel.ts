/**
 * The channel of PostgreSQL that notifies workers of runs: `ready`, `held` (runs of subscriptions that act once), `changed 7` (subscriptions of the
 * customer 7 were replaced or deleted), or an empty message (anything may have changed).
 */
export const RUNS_CHANNEL = 'subscription_runs';

/** The message after a subscription of a customer was replaced or deleted. */
export const changedSubscriptions = (customerId: number): string => `changed ${customerId}`;

/** The customer in such a message; null for another message. */
export const customerOfChange = (message: string): string | null => /^changed (\d+)$/.exec(message)?.[1] ?? null;
