import { Injectable } from '@nestjs/common';
import { AuditService } from '../../shared/audit/audit.service.js';
import { Database } from '../../shared/database/index.js';
import { readEmailAddress } from '../../shared/email-address.js';
import { AccountsService, SecondFactorsService, type User } from '../accounts/index.js';
import type { Assertion } from './check-response.js';
import { acceptsLevel, type IdentityProvider } from './identity-provider.entity.js';
import { SamlRefusal } from './saml.errors.js';
import { SamlIdentitiesRepository } from './saml-identities.repository.js';

type Person = Pick<Assertion, 'nameId' | 'nameIdFormat' | 'attributes'>;

/** The user whom an assertion signs in; `isToLink`: once the person has confirmed that the user is theirs. */
export interface ResolvedPerson {
  readonly user: User;
  readonly isToLink: boolean;
}

const MAX_NAME = 255;

/** Serialises first logins, so that two simultaneous ones of the same person find or create a single user. */
const FIRST_LOGIN_LOCK = 'saml first login';

/** Finds or creates the user whom a genuine assertion signs in. */
@Injectable()
export class SamlPeopleService {
  constructor(
    private readonly database: Database,
    private readonly identities: SamlIdentitiesRepository,
    private readonly accounts: AccountsService,
    private readonly secondFactors: SecondFactorsService,
    private readonly audit: AuditService,
  ) {}

  /**
   * Returns the user of the person. At the first login, links a user by e-mail address or creates one, if the identity provider's record permits. A user
   * who has a password or a second factor here is not linked yet: the address alone does not show that it is the same person.
   * @throws SamlRefusal `saml_email_missing`, `saml_user_unknown`, `saml_user_not_created`, `saml_user_disabled`,
   * `saml_level_exceeded`
   */
  async resolve(provider: IdentityProvider, person: Person): Promise<ResolvedPerson> {
    const linked = await this.findLinked(provider, person);
    const resolved = linked ? { user: linked, isToLink: false } : await this.signInFirst(provider, person);
    this.check(provider, resolved.user);
    return resolved;
  }

  /**
   * Links the user of a person who has confirmed it. Another link of this NameID that was made meanwhile is refused.
   * @throws SamlRefusal like `resolve`
   */
  async link(provider: IdentityProvider, person: Pick<Person, 'nameId' | 'nameIdFormat'>, user: User): Promise<void> {
    await this.database.transaction(async () => {
      await this.database.lock(FIRST_LOGIN_LOCK);
      const linkedId = await this.identities.findLinkedUserId(provider.id, person);
      if (linkedId === user.id) return;
      if (linkedId !== null || !provider.linkByEmail)
        throw new SamlRefusal('saml_user_unknown', `user ${user.id} may not be linked any more`);
      this.check(provider, user);
      await this.identities.link(provider.id, person, user.id);
      await this.record('user.link_identity', provider, user);
    });
  }

  private check(provider: IdentityProvider, user: User): void {
    if (user.customerId !== provider.customerId || user.kind !== 'person') {
      throw new SamlRefusal('saml_user_unknown', `user ${user.id} is not a person of this customer`);
    }
    if (user.disabledAt) throw new SamlRefusal('saml_user_disabled', `user ${user.id} is disabled`);
    checkLevel(provider, user);
  }

  private async findLinked(provider: IdentityProvider, person: Person): Promise<User | null> {
    const userId = await this.identities.findLinkedUserId(provider.id, person);
    return userId === null ? null : await this.accounts.findById(userId);
  }

  private async signInFirst(provider: IdentityProvider, person: Person): Promise<ResolvedPerson> {
    return await this.database.transaction(async () => {
      await this.database.lock(FIRST_LOGIN_LOCK);
      const linked = await this.findLinked(provider, person);
      if (linked) return { user: linked, isToLink: false };
      const email = emailOf(provider, person);
      const user = (await this.findByEmail(provider, email)) ?? (await this.create(provider, { ...person, email }));
      checkLevel(provider, user); // and stays unlinked
      if (user.passwordHash !== null || (await this.secondFactors.has(user.id))) return { user, isToLink: true };
      await this.identities.link(provider.id, person, user.id);
      await this.record('user.link_identity', provider, user);
      return { user, isToLink: false };
    });
  }

  /** Finds the customer's user to link to; null: no such user exists, and one may be created. */
  private async findByEmail({ customerId, linkByEmail, createUsers }: IdentityProvider, email: string): Promise<User | null> {
    const user = await this.accounts.findByEmail(email);
    if (user && linkByEmail && user.customerId === customerId && user.kind === 'person') {
      if (user.disabledAt) throw new SamlRefusal('saml_user_disabled', `user ${user.id} is disabled`); // and stays unlinked
      return user;
    }
    if (!createUsers) throw new SamlRefusal('saml_user_unknown', 'no user of the customer may be linked, and createUsers is false');
    if (user) throw new SamlRefusal('saml_user_not_created', `the e-mail address belongs to user ${user.id}, who may not be linked`);
    return null;
  }

  private async create(provider: IdentityProvider, { attributes, email }: Person & { email: string }): Promise<User> {
    const { firstname, lastname } = provider.attributeMapping;
    const name = (attribute: string | undefined) => (attribute ? (attributes.get(attribute) ?? '') : '').slice(0, MAX_NAME);
    const user = await this.accounts.createPerson({
      customerId: provider.customerId,
      email,
      firstname: name(firstname),
      lastname: name(lastname),
    });
    await this.record('user.create', provider, user);
    return user;
  }

  private async record(action: string, { ssoIdentifier }: IdentityProvider, { id, customerId }: User): Promise<void> {
    await this.audit.record({ action, actor: `saml:${ssoIdentifier}`, subject: `user:${id}`, customerId });
  }
}

/** An administrator who configures an identity provider could let it assert to be a user with more rights. */
function checkLevel(provider: IdentityProvider, user: User): void {
  if (acceptsLevel(provider, user)) return;
  const { id, adminLevel } = user;
  throw new SamlRefusal(
    'saml_level_exceeded',
    `user ${id} has adminLevel ${adminLevel}, and the identity provider may sign in up to ${provider.maxAdminLevel}`,
  );
}

/** Returns the mapped attribute, or without a mapping the NameID if it is an address. */
function emailOf({ attributeMapping }: IdentityProvider, { nameId, attributes }: Person): string {
  const email = readEmailAddress((attributeMapping.email ? attributes.get(attributeMapping.email) : nameId) ?? '');
  if (email !== null) return email;
  const names = JSON.stringify([...attributes.keys()].slice(0, 50));
  throw new SamlRefusal('saml_email_missing', `no e-mail address in ${attributeMapping.email ?? 'the NameID'}; there are ${names}`);
}
