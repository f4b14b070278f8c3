import { type Caller, DROPSITE_SCOPE } from '../../../shared/auth/index.js';
import { type Principal } from '../../accounts/index.js';
import type { Dropsite } from '../dropsite.entity.js';

/** Whom a request names as creator of what it uploads. */
export interface NamedCreator {
  readonly id: number;
  readonly email: string;
}

/** `creatorId` and `email`, which count together only: one of them alone names nobody. */
export const namedCreator = (creatorId: number | null | undefined, email: string | null | undefined): NamedCreator | null =>
  typeof creatorId === 'number' && email ? { id: creatorId, email: email.toLowerCase() } : null;

/** Whether a caller may upload in the name of `creator`, whose record is `user`: a session for its own sender, a user for a colleague. */
export function mayUploadFor(
  creator: NamedCreator,
  { caller, user, dropsite }: { caller: Caller | null; user: Principal | null; dropsite: Pick<Dropsite, 'customerId'> },
): boolean {
  if (!caller || user?.id !== creator.id || user.email !== creator.email || user.customerId !== dropsite.customerId) return false;
  if (caller.scopes.has(DROPSITE_SCOPE)) return caller.userId === user.id;
  return caller.customerId === dropsite.customerId && user.kind !== 'sender';
}
