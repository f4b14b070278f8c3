import { defineErrors } from '../../../shared/errors/index.js';

export const fileErrors = defineErrors({
  parallel_limit_reached: {
    kind: 'rate_limited',
    meaning: 'As many viewers of this network play at the moment as the player configuration allows; wait for the seconds in Retry-After.',
  },
});
