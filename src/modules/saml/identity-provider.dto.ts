import { IntersectionType } from '@nestjs/swagger';
import { IsBoolean, IsInt, IsOptional, IsString, Matches, MaxLength, MinLength } from 'class-validator';
import { CastInteger, RefusesUnknownParameters } from '../../shared/http/index.js';
import { DeletedOf, IdOf, PageDto } from '../../shared/resources/index.js';
import { IsId, MAX_DISPLAY_NAME_CHARACTERS, NestedObject, UnlessAbsent } from '../../shared/validation/index.js';
import type { IdentityProvider } from './identity-provider.entity.js';

/** Part of URLs that identity providers store, so it contains only characters that have a single spelling in a URL. */
const SSO_IDENTIFIER = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;
/** The metadata of one identity provider has less than 30,000; that of a whole federation is refused. */
const MAX_METADATA_CHARACTERS = 131_072;

/** A page of identity providers. */
@RefusesUnknownParameters()
export class FindIdentityProvidersDto extends PageDto {
  /** Only this identity provider; the list is empty if it is unknown. @example 3 */
  @IsOptional()
  @CastInteger()
  @IsInt()
  id?: number | null;

  /** The customer; by default the caller's own. Only operators may name another. @example 1 */
  @IsOptional()
  @CastInteger()
  @IsInt()
  customerId?: number;
}

/** The id of an identity provider. The id of another customer's identity provider counts as unknown. */
export class IdentityProviderIdDto extends IdOf({ example: 3 }) {}

/** The names of the SAML attributes in which a person's data is sent. */
export class AttributeMappingDto {
  /** By default the NameID is the address. @example "urn:oid:0.9.2342.19200300.100.1.3" */
  @UnlessAbsent()
  @MaxLength(MAX_DISPLAY_NAME_CHARACTERS)
  @MinLength(1)
  @IsString()
  email?: string;

  /** @example "urn:oid:2.5.4.42" */
  @UnlessAbsent()
  @MaxLength(MAX_DISPLAY_NAME_CHARACTERS)
  @MinLength(1)
  @IsString()
  firstname?: string;

  /** @example "urn:oid:2.5.4.4" */
  @UnlessAbsent()
  @MaxLength(MAX_DISPLAY_NAME_CHARACTERS)
  @MinLength(1)
  @IsString()
  lastname?: string;
}

/** The settings of an identity provider that have defaults. */
export class IdentityProviderOptionsDto {
  /** Replaces the stored value as a whole. */
  @UnlessAbsent()
  @NestedObject(() => AttributeMappingDto)
  attributeMapping?: AttributeMappingDto;

  /** Whether a user is created for a person without one; default false. @example false */
  @UnlessAbsent()
  @IsBoolean()
  createUsers?: boolean;

  /** Whether the first sign-in of a person is linked to the customer's user with the same e-mail address; default true. @example true */
  @UnlessAbsent()
  @IsBoolean()
  linkByEmail?: boolean;

  /** Whether the response must be signed in addition to the assertion; default true. @example true */
  @UnlessAbsent()
  @IsBoolean()
  signedResponse?: boolean;
}

/** A new identity provider. */
export class CreateIdentityProviderDto extends IdentityProviderOptionsDto {
  /** Part of our SAML addresses, and the value of ssoIdentifier at authorize; unique in the whole service. @example "acme" */
  @Matches(SSO_IDENTIFIER, {
    message: '$property must be 1 to 64 letters, digits, dots, hyphens or underscores, and begin with a letter or digit',
  })
  @IsString()
  ssoIdentifier: string;

  /** The XML of its SAML 2.0 metadata: entity id, address and signing certificates are read from it. @example "<EntityDescriptor …>" */
  @MaxLength(MAX_METADATA_CHARACTERS)
  @MinLength(1)
  @IsString()
  metadata: string;

  /** The customer whose users sign in there; by default the caller's own. Only operators may name another. @example 1 */
  @UnlessAbsent()
  @IsId()
  customerId?: number;
}

/** Changes of an identity provider; an absent member leaves the setting as it is. The ssoIdentifier stays, because it is part of its addresses. */
export class IdentityProviderChangesDto extends IdentityProviderOptionsDto {
  /** Replaces entity id, address and certificates. @example "<EntityDescriptor …>" */
  @UnlessAbsent()
  @MaxLength(MAX_METADATA_CHARACTERS)
  @MinLength(1)
  @IsString()
  metadata?: string;
}

/** Changes of the identity provider with this id. */
export class UpdateIdentityProviderDto extends IntersectionType(IdentityProviderIdDto, IdentityProviderChangesDto) {}

/** A SAML identity provider of a customer. */
export class IdentityProviderResponse {
  /** @example 3 */
  id: number;
  /** @example "acme" */
  ssoIdentifier: string;
  /** @example 1 */
  customerId: number;
  /** Its entity id. @example "https://idp.acme.example/metadata" */
  issuer: string;
  /** Where sign-ins are sent to. @example "https://idp.acme.example/sso" */
  ssoUrl: string;
  /** Its signing certificates, in PEM. */
  certificates: string[];
  attributeMapping: AttributeMappingDto;
  /** @example false */
  createUsers: boolean;
  /** @example true */
  linkByEmail: boolean;
  /** @example true */
  signedResponse: boolean;
  /** The highest adminLevel of users that it may sign in: that of the administrator who gave its metadata; null: no limit, because the operator declared it. @example 9 */
  maxAdminLevel: number | null;
  /** ISO 8601. */
  createdAt: Date;
  /** ISO 8601. */
  updatedAt: Date;
}

/** An identity provider whose metadata was just read. */
export class ConfiguredIdentityProviderResponse extends IdentityProviderResponse {
  /** Why signing certificates of the metadata are not used, one sentence each; absent if all are. */
  certificatesLeftOut?: string[];
}

/** The id of a removed identity provider. */
export class DeletedIdentityProviderResponse extends DeletedOf({ example: 3 }) {}

export const toIdentityProviderResponse = (provider: IdentityProvider): IdentityProviderResponse => ({
  id: provider.id,
  ssoIdentifier: provider.ssoIdentifier,
  customerId: provider.customerId,
  issuer: provider.issuer,
  ssoUrl: provider.ssoUrl,
  certificates: provider.certificates,
  attributeMapping: provider.attributeMapping,
  createUsers: provider.createUsers,
  linkByEmail: provider.linkByEmail,
  signedResponse: provider.signedResponse,
  maxAdminLevel: provider.maxAdminLevel,
  createdAt: provider.createdAt,
  updatedAt: provider.updatedAt,
});
