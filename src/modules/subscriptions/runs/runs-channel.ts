/**
 * The channel of PostgreSQL that notifies workers of runs: `ready`, `held` (runs of subscriptions that act once), or an empty message (anything may
 * have changed).
 */
export const RUNS_CHANNEL = 'subscription_runs';

/**
 * The message after a subscription of a customer was replaced or deleted. It is for processes of version 1.0, which claim runs before they can
 * attempt them, and would otherwise use the old instructions while both versions run.
 */
export const changedSubscriptions = (customerId: number): string => `changed ${customerId}`;
