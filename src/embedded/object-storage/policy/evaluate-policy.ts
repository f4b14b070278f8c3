import { matchesPattern } from './match-pattern.js';
import type { Policy, Statement } from './policy.js';

/** What a caller wants to do: `s3:PutObject` on `arn:aws:s3:::media/uploads/1.jpg`. */
export interface Attempt {
  readonly action: string;
  readonly resource: string;
}

/** Whether every one of the policies allows it: an explicit Deny wins, and what is not allowed is denied. */
export function allowedByAll(policies: readonly Policy[], attempt: Attempt): boolean {
  return policies.every((policy) => isAllowed(policy, attempt));
}

function isAllowed(policy: Policy, attempt: Attempt): boolean {
  const effects = policy.filter((statement) => concerns(statement, attempt)).map(({ effect }) => effect);
  return effects.includes('Allow') && !effects.includes('Deny');
}

/** Actions do not distinguish upper and lower case, resources do. */
function concerns({ actions, resources }: Statement, { action, resource }: Attempt): boolean {
  return (
    actions.some((pattern) => matchesPattern(pattern.toLowerCase(), action.toLowerCase())) &&
    resources.some((pattern) => matchesPattern(pattern, resource))
  );
}
