import { Injectable } from '@nestjs/common';
import { AuditService } from '../../shared/audit/audit.service.js';
import { Database } from '../../shared/database/index.js';
import { readEmailAddress } from '../../shared/email-address.js';
import { AccountsService, type User } from '../accounts/index.js';
import type { Assertion } from './check-response.js';
import { acceptsLevel, type IdentityProvider } from './identity-provider.entity.js';
import { SamlRefusal } from './saml.errors.js';
import { SamlIdentitiesRepository } from './saml-identities.repository.js';

type Person = Pick<Assertion, 'nameId' | 'nameIdFormat' | 'attributes'>;

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
    private readonly audit: AuditService,
  ) {}

  /**
   * Returns the user of the person. At the first login, links a user by e-mail address or creates one, if the identity provider's record permits.
   * @throws SamlRefusal `saml_email_missing`, `saml_user_unknown`, `saml_user_not_created`, `saml_user_disabled`,
   * `saml_level_exceeded`
   */
  async resolve(provider: IdentityProvider, person: Person): Promise<User> {
    const user = (await this.findLinked(provider, person)) ?? (await this.signInFirst(provider, person));
    if (user.customerId !== provider.customerId || user.kind !== 'person') {
      throw new SamlRefusal('saml_user_unknown', `user ${user.id} is not a person of this customer`);
    }
    if (user.disabledAt) throw new SamlRefusal('saml_user_disabled', `user ${user.id} is disabled`);
    checkLevel(provider, user);
    return user;
  }

  private async findLinked(provider: IdentityProvider, person: Person): Promise<User | null> {
    const userId = await this.identities.findLinkedUserId(provider.id, person);
    return userId === null ? null : await this.accounts.findById(userId);
  }

  private async signInFirst(provider: IdentityProvider, person: Person): Promise<User> {
    return await this.database.transaction(async () => {
      await this.database.lock(FIRST_LOGIN_LOCK);
      const linked = await this.findLinked(provider, person);
      if (linked) return linked;
      const email = emailOf(provider, person);
      const user = (await this.findByEmail(provider, email)) ?? (await this.create(provider, { ...person, email }));
      checkLevel(provider, user); // and stays unlinked
      await this.identities.link(provider.id, person, user.id);
      await this.record('user.link_identity', provider, user);
      return user;
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
