import { type Authentication, MFA } from '../../shared/auth/index.js';
import type { User } from './user.entity.js';

/**
 * Where a change can be asked for. `link`: with a link of a mail; `identityProvider`: by what an identity provider asserts; `operator`: on the command
 * line and in the provisioning file, by people who have access to the machine.
 */
export type Door = 'page' | 'api' | 'link' | 'identityProvider' | 'operator';

/** What a door demands before it makes a change, beside the rights that the change needs. */
export interface Proof {
  /** `person`: a sign-in of the person; `mailbox`: a link that was mailed to the person; `any`: any valid credentials; `page`: refused here, the account page makes the change. */
  readonly of: 'person' | 'mailbox' | 'any' | 'page';
  /** The largest age of the sign-in or confirmation; absent: any. */
  readonly maxAgeSeconds?: number;
  /** The second factor of a person who has one, otherwise the password of a person who has one. */
  readonly ownSecrets?: true;
  /** The password of a person who has one. */
  readonly password?: true;
}

/** Short enough that a person who leaves the browser open has most likely left it unconfirmed. */
export const CONFIRMED_FOR_SECONDS = 300;

/** The person signed in, or confirmed, a moment ago, and not only at an identity provider if the account has secrets of its own. */
const CONFIRMED = { of: 'person', maxAgeSeconds: CONFIRMED_FOR_SECONDS, ownSecrets: true } as const;
const MAILBOX = { of: 'mailbox' } as const;
const MAILBOX_AND_PASSWORD = { of: 'mailbox', password: true } as const;
const PASSWORD = { of: 'person', password: true } as const;
const ACCOUNT_PAGE = { of: 'page' } as const;
const RIGHTS = { of: 'any' } as const;

/**
 * Which proof each door demands for what decides who can act as a person, or lets something act after the access of an application has ended. A door
 * that is absent does not make the change. `test/e2e/doors.spec.ts` goes through every door of every row.
 */
export const REQUIRED_PROOFS = {
  /** A name is only shown. */
  ownName: { page: CONFIRMED, api: RIGHTS },
  /** The page asks for the change, and the link in the mail to the new address makes it. */
  ownEmail: { page: CONFIRMED, link: MAILBOX, api: ACCOUNT_PAGE },
  /** By API, an administrator could only invite themselves. */
  ownPassword: { page: CONFIRMED, link: MAILBOX, api: ACCOUNT_PAGE, operator: RIGHTS },
  ownFactors: { page: CONFIRMED, link: MAILBOX_AND_PASSWORD, api: ACCOUNT_PAGE, operator: RIGHTS },
  /** That a person no longer needs a second factor; that one is needed is RIGHTS. */
  ownFactorRequirement: { api: CONFIRMED, operator: RIGHTS },
  /** More rights than before; fewer are RIGHTS. */
  ownLevel: { api: ACCOUNT_PAGE, operator: RIGHTS },
  /** Other people are told by mail, and their secrets are their own: a new address gets no password, removed factors need the password. */
  otherPerson: { api: RIGHTS },
  /** Opens the account to the staff of the operator, whose visits are recorded; an application gains nothing by it. */
  supportAccess: { page: CONFIRMED, api: RIGHTS, operator: RIGHTS },
  /** An access key acts as its user until it is deleted. */
  accessKey: { api: CONFIRMED, operator: RIGHTS },
  /** A client application with a service user acts as it; without one it acts only for people who allow it. */
  actingClient: { api: CONFIRMED, operator: RIGHTS },
  clientSecret: { api: CONFIRMED, operator: RIGHTS },
  /** An identity provider can assert to be any person of the customer. */
  identityProvider: { api: CONFIRMED, operator: RIGHTS },
  /** That an identity provider signs in a person who was found by the e-mail address. */
  linkedIdentity: { identityProvider: PASSWORD },
  /** Ends what could act: sessions, applications, keys, client applications, identity providers, people. */
  deletion: { page: RIGHTS, api: RIGHTS, operator: RIGHTS },
} as const satisfies Readonly<Record<string, Partial<Record<Door, Proof>>>>;

type Change = keyof typeof REQUIRED_PROOFS;

/** The rows with a door `Name`. */
export type ChangeAt<Name extends Door> = {
  [Row in Change]: Name extends keyof (typeof REQUIRED_PROOFS)[Row] ? Row : never;
}[Change];

/** The secrets with which a person signs in at this service itself. */
export interface OwnSecrets extends Pick<User, 'passwordHash'> {
  readonly hasSecondFactor: boolean;
}

/** The parameters of an authorization request that leads to the missing proof. */
export interface MissingConfirmation {
  readonly acr_values: typeof MFA | null;
  readonly max_age: number;
}

/**
 * What a sign-in lacks for a proof of the person; null: nothing. A sign-in that states no methods (`amr`) came from an identity provider, and proves
 * neither the password nor the second factor that a person has at this service.
 */
export function missingConfirmation(
  { maxAgeSeconds, ownSecrets, password }: Proof,
  { acr, amr, authTime }: Authentication,
  { person, now }: { readonly person: OwnSecrets; readonly now: Date },
): MissingConfirmation | null {
  const needsFactor = ownSecrets === true && person.hasSecondFactor;
  const needsPassword = (ownSecrets === true || password === true) && !needsFactor && person.passwordHash !== null;
  const isRecent = authTime !== undefined && now.getTime() / 1_000 - authTime < (maxAgeSeconds ?? Number.POSITIVE_INFINITY);
  const isProven = acr === MFA || (!needsFactor && (!needsPassword || amr?.includes('pwd') === true));
  if (isRecent && isProven) return null;
  return { acr_values: needsFactor ? MFA : null, max_age: maxAgeSeconds ?? CONFIRMED_FOR_SECONDS };
}
