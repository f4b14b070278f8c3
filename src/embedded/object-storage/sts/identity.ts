import { type Attempt, allowedByAll } from '../policy/evaluate-policy.js';
import { parsePolicy } from '../policy/parse-policy.js';
import { ACCOUNT, ROLE_ID, ROLE_NAME, ROLE_POLICY, SERVICE_ARN } from '../settings.js';
import type { Session } from './session-token.js';

/** Who a checked request comes from. */
export interface Identity {
  readonly arn: string;
  readonly userId: string;
  /** Temporary credentials of a role. */
  readonly isSession: boolean;
  may(attempt: Attempt): boolean;
}

/** The service with its long-lived key may do everything. */
export const serviceIdentity = (accessKeyId: string): Identity => ({
  arn: SERVICE_ARN,
  userId: accessKeyId,
  isSession: false,
  may: () => true,
});

/** A session may do what the role's policy and its own one both allow. */
export function sessionIdentity({ name, policy }: Session): Identity {
  const policies = policy === undefined ? [ROLE_POLICY] : [ROLE_POLICY, parsePolicy(policy)];
  return { ...assumedRole(name), isSession: true, may: (attempt) => allowedByAll(policies, attempt) };
}

/** How the session of a role is called. */
export const assumedRole = (name: string): { arn: string; userId: string } => ({
  arn: `arn:aws:sts::${ACCOUNT}:assumed-role/${ROLE_NAME}/${name}`,
  userId: `${ROLE_ID}:${name}`,
});
