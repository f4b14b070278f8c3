/** On this channel of PostgreSQL dispatchers are told of runs: `ready`, `held` (those of subscriptions that act once), or nothing known (empty). */
export const RUNS_CHANNEL = 'subscription_runs';
