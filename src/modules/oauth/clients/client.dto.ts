import { IntersectionType } from '@nestjs/swagger';
import {
  ArrayMaxSize,
  ArrayUnique,
  IsArray,
  IsBoolean,
  IsIn,
  IsInt,
  IsOptional,
  IsString,
  Matches,
  Max,
  MaxLength,
  Min,
} from 'class-validator';
import { CastInteger, RefusesUnknownParameters } from '../../../shared/http/index.js';
import { DeletedOf, IdOf, PageDto } from '../../../shared/resources/index.js';
import { IsDisplayName, IsId, MAX_DISPLAY_NAME_CHARACTERS, UnlessAbsent, UnlessNull } from '../../../shared/validation/index.js';
import type { Client, ClientType } from './client.entity.js';
import { CLIENT_ID } from './client-ids.js';

const TYPES: readonly ClientType[] = ['web', 'mobile', 'desktop'];
const GRANT_TYPES = ['authorization_code', 'refresh_token', 'client_credentials'] as const;
/** Every process keeps all clients in memory; applications have one or two for each environment. */
const MAX_URIS = 20;
const MAX_URI_CHARACTERS = 1_024;
/** A secret that stays valid for longer has not been rotated. */
const MAX_OVERLAP_SECONDS = 90 * 86_400;

/** A page of client applications. */
@RefusesUnknownParameters()
export class FindClientsDto extends PageDto {
  /** Only this client application; the list is empty if it is unknown. @example 3 */
  @IsOptional()
  @CastInteger()
  @IsInt()
  id?: number | null;

  /** Only the client application with this identifier. @example "newsroom" */
  @IsOptional()
  @MaxLength(MAX_DISPLAY_NAME_CHARACTERS)
  @IsString()
  clientId?: string;

  /** The customer; by default the caller's own, for operators together with those that belong to no customer. Only operators may name another. @example 1 */
  @IsOptional()
  @CastInteger()
  @IsInt()
  customerId?: number;
}

/** The id of a client application. The id of another customer's application counts as unknown. */
export class ClientIdDto extends IdOf({ example: 3 }) {}

/** The settings of a client application that have defaults. */
export class ClientOptionsDto {
  /** The URIs to which the browser may return after a sign-out that the client requested. @example ["https://newsroom.example/goodbye"] */
  @UnlessAbsent()
  @ArrayMaxSize(MAX_URIS)
  @ArrayUnique()
  @MaxLength(MAX_URI_CHARACTERS, { each: true })
  @IsString({ each: true })
  @IsArray()
  postLogoutRedirectUris?: string[];

  /** By default authorization_code and refresh_token. @example ["authorization_code", "refresh_token"] */
  @UnlessAbsent()
  @ArrayMaxSize(GRANT_TYPES.length)
  @ArrayUnique()
  @IsIn(GRANT_TYPES, { each: true })
  @IsArray()
  grantTypes?: string[];

  /** Whether it authenticates by a secret, which is generated. By default true with client_credentials. @example true */
  @UnlessAbsent()
  @IsBoolean()
  confidential?: boolean;

  /** Whether authorization requests need PKCE (RFC 7636). By default true for public clients. @example true */
  @UnlessAbsent()
  @IsBoolean()
  requirePkce?: boolean;

  /** The user of the customer on whose behalf it acts with client credentials. @example 12 */
  @UnlessNull()
  @IsId()
  serviceUserId?: number | null;

  /** Belongs to the operator: users are not asked for consent. Only operators may set it. @example false */
  @UnlessAbsent()
  @IsBoolean()
  firstParty?: boolean;

  /** Whether consent may be asked inside a frame. Only operators may set it. @example false */
  @UnlessAbsent()
  @IsBoolean()
  framedConsent?: boolean;
}

/** A new client application. */
export class CreateClientDto extends ClientOptionsDto {
  /** The client_id; generated if absent. @example "newsroom" */
  @UnlessAbsent()
  @MaxLength(MAX_DISPLAY_NAME_CHARACTERS)
  @Matches(CLIENT_ID)
  @IsString()
  clientId?: string;

  /** The name that users see on the consent page. @example "Newsroom" */
  @MaxLength(MAX_DISPLAY_NAME_CHARACTERS)
  @IsDisplayName()
  @IsString()
  name: string;

  /** @example "web" */
  @IsIn(TYPES)
  type: ClientType;

  /** Compared character by character. @example ["https://newsroom.example/callback"] */
  @ArrayMaxSize(MAX_URIS)
  @ArrayUnique()
  @MaxLength(MAX_URI_CHARACTERS, { each: true })
  @IsString({ each: true })
  @IsArray()
  redirectUris: string[];

  /** The customer; by default the caller's own. Only operators may name another. @example 1 */
  @UnlessAbsent()
  @IsId()
  customerId?: number;
}

/** Changes of a client application; an absent member leaves the setting as it is. The client_id stays. */
export class ClientChangesDto extends ClientOptionsDto {
  /** @example "Newsroom" */
  @UnlessAbsent()
  @MaxLength(MAX_DISPLAY_NAME_CHARACTERS)
  @IsDisplayName()
  @IsString()
  name?: string;

  /** @example "web" */
  @UnlessAbsent()
  @IsIn(TYPES)
  type?: ClientType;

  /** Replaces the list. @example ["https://newsroom.example/callback"] */
  @UnlessAbsent()
  @ArrayMaxSize(MAX_URIS)
  @ArrayUnique()
  @MaxLength(MAX_URI_CHARACTERS, { each: true })
  @IsString({ each: true })
  @IsArray()
  redirectUris?: string[];
}

/** Changes of the client application with this id. */
export class UpdateClientDto extends IntersectionType(ClientIdDto, ClientChangesDto) {}

/** How a secret is rotated. */
export class SecretRotationDto {
  /** Seconds for which the previous secret stays valid, so that instances can be updated one after another; by default it ends at once. @example 86400 */
  @UnlessAbsent()
  @Max(MAX_OVERLAP_SECONDS)
  @Min(0)
  @IsInt()
  keepOldSeconds?: number;
}

/** A rotation of the secret of the client application with this id. */
export class RotateSecretDto extends IntersectionType(ClientIdDto, SecretRotationDto) {}

/** A client application, without its secret. */
export class ClientResponse {
  /** @example 3 */
  id: number;
  /** The client_id. @example "newsroom" */
  clientId: string;
  /** Null: the operator declared it for the whole service. @example 1 */
  customerId: number | null;
  /** @example "Newsroom" */
  name: string;
  /** @example "web" */
  type: ClientType;
  /** @example ["https://newsroom.example/callback"] */
  redirectUris: string[];
  /** @example [] */
  postLogoutRedirectUris: string[];
  /** @example ["authorization_code", "refresh_token"] */
  grantTypes: string[];
  /** Whether it authenticates by a secret. @example true */
  confidential: boolean;
  /** @example true */
  requirePkce: boolean;
  /** The user on whose behalf its client credentials act; null: it has no such user. @example null */
  serviceUserId: number | null;
  /** @example false */
  firstParty: boolean;
  /** @example false */
  framedConsent: boolean;
  /** ISO 8601. */
  createdAt: Date;
  /** ISO 8601. */
  updatedAt: Date;
}

/** A client application with a secret that was just generated. */
export class CreatedClientResponse extends ClientResponse {
  /** Shown only once; present if a secret was generated. @example "bTk1c0Zk…" */
  clientSecret?: string;
}

/** A new secret. */
export class ClientSecretResponse {
  /** @example 3 */
  id: number;
  /** @example "newsroom" */
  clientId: string;
  /** Shown only once. @example "bTk1c0Zk…" */
  clientSecret: string;
  /** Until when the previous secret is valid; null: it has ended. */
  oldSecretEndsAt: Date | null;
}

/** The id of a removed client application. */
export class DeletedClientResponse extends DeletedOf({ example: 3 }) {}

export const toClientResponse = (client: Client): ClientResponse => ({
  id: client.id,
  clientId: client.clientId,
  customerId: client.customerId,
  name: client.name,
  type: client.type,
  redirectUris: client.redirectUris,
  postLogoutRedirectUris: client.postLogoutRedirectUris,
  grantTypes: client.grantTypes,
  confidential: client.secretHash !== null,
  requirePkce: client.requirePkce,
  serviceUserId: client.serviceUserId,
  firstParty: client.firstParty,
  framedConsent: client.framedConsent,
  createdAt: client.createdAt,
  updatedAt: client.updatedAt,
});
