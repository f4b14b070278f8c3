import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import { Database } from '../../shared/database/index.js';
import { defined } from '../../shared/validation/index.js';
import type { ExternalSignIns, User } from '../accounts/index.js';
import { type AttributeMapping, acceptsLevel, IdentityProvider } from './identity-provider.entity.js';
import { SamlIdentitiesRepository } from './saml-identities.repository.js';
import type { SamlIdentity } from './saml-identity.entity.js';

/** The desired state of an identity provider; absent fields stay unchanged. */
export interface IdentityProviderDeclaration {
  readonly ssoIdentifier: string;
  readonly customerId: number;
  readonly issuer: string;
  readonly ssoUrl: string;
  readonly certificates: readonly string[];
  readonly attributeMapping?: AttributeMapping;
  readonly createUsers?: boolean;
  readonly linkByEmail?: boolean;
  readonly signedResponse?: boolean;
}

/** Manages the identity providers of customers. */
@Injectable()
export class IdentityProvidersService implements ExternalSignIns {
  constructor(
    private readonly database: Database,
    private readonly identities: SamlIdentitiesRepository,
  ) {}

  async find(ssoIdentifier: string): Promise<IdentityProvider | null> {
    return await this.repository.findOneBy({ ssoIdentifier });
  }

  async findById(id: number): Promise<IdentityProvider | null> {
    return await this.repository.findOneBy({ id });
  }

  /** Creates or updates the identity provider with this ssoIdentifier. */
  async declare({ certificates, ...declaration }: IdentityProviderDeclaration): Promise<IdentityProvider> {
    const existing = await this.find(declaration.ssoIdentifier);
    const { attributeMapping, ...settings } = { ...existing, ...defined(declaration) };
    // As a plain object: TypeORM takes an instance of the input's class for another value than the stored one.
    return await this.repository.save(
      this.repository.create({ ...settings, attributeMapping: { ...attributeMapping }, certificates: [...certificates] }),
    );
  }

  /** Finds the NameIDs by which identity providers identify a user. */
  async identitiesOf(userId: number): Promise<Pick<SamlIdentity, 'identityProviderId' | 'nameId' | 'nameIdFormat'>[]> {
    return await this.identities.findOfUser(userId);
  }

  /** The ssoIdentifier of an identity provider at which the user signs in; null: none. */
  async identifierOfUser(userId: number): Promise<string | null> {
    const [identity] = await this.identities.findOfUser(userId);
    return identity ? ((await this.repository.findOneBy({ id: identity.identityProviderId }))?.ssoIdentifier ?? null) : null;
  }

  /** Whether an identity provider signs in one of these users, who have signed in there before; it must accept their adminLevel. */
  async includesOneOf(users: readonly Pick<User, 'id' | 'adminLevel'>[]): Promise<boolean> {
    const identities = await this.identities.findOfUsers(users.map(({ id }) => id));
    const providers = await this.repository.findBy({ id: In(identities.map(({ identityProviderId }) => identityProviderId)) });
    return identities.some(({ identityProviderId, userId }) => {
      const provider = providers.find(({ id }) => id === identityProviderId);
      const user = users.find(({ id }) => id === userId);
      return provider !== undefined && user !== undefined && acceptsLevel(provider, user);
    });
  }

  private get repository() {
    return this.database.repository(IdentityProvider);
  }
}
