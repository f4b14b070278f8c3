import { IntersectionType } from '@nestjs/swagger';
import { IsOptional, IsString, Matches, MaxLength, ValidateIf } from 'class-validator';
import { IsUserAddress } from '../../../shared/email-address.js';
import { TokenResponse, toTokenResponseFields } from '../../access/index.js';
import type { Dropsite } from '../dropsite.entity.js';
import type { DropsiteSession } from './dropsite-sessions.service.js';

const MAX_LINK_CHARACTERS = 255; // a longer text cannot be a link
const MAX_CHARACTERS = 255;
const LINE = /^\P{Cc}*$/u;

/** A dropsite, by its link. */
export class DropsiteLinkDto {
  /** @example "b1c5a2f0-6a0e-4b57-9c1e-2f1f6f1f0c11" */
  @IsString()
  @MaxLength(MAX_LINK_CHARACTERS)
  link: string;
}

/** A dropsite, for its senders. */
export class DropsiteDeliveryResponse {
  /** @example "b1c5a2f0-6a0e-4b57-9c1e-2f1f6f1f0c11" */
  link: string;
  /** Send it as header `clientid` with every further request. @example "dropsite-0f8c2a7e-5d55-4f0e-8a0c-7a2b6d1f9e10" */
  clientId: string;
  /** Can be exchanged once for a session, within minutes. @example "4kX0b1mVYw8S1bq3i6m2l5v9d0c7e1f4a8h3j2k6n5p" */
  code: string;
  /** Seconds until the code expires. @example 600 */
  codeExpiresIn: number;
  /** @example "Photos of the anniversary" */
  name: string;
  /** @example "Please send us your photos." */
  description: string;
  /** Whether `password` is required. @example false */
  requiresPassword: boolean;
  /** Whether senders need no session. @example true */
  allowAnonymous: boolean;
  /** video, audio, image, document; empty: all. @example ["image"] */
  allowedTypes: string[];
  /** Items accepted per day (UTC), refused items do not count; null: no limit. @example 100 */
  maxItemsPerDay: number | null;
  /** Bytes accepted per day (UTC); null: no limit. @example 10737418240 */
  maxBytesPerDay: number | null;
  /** ISO 8601; null: it never expires. */
  expiresAt: Date | null;
}

export function toDropsiteDeliveryResponse(
  dropsite: Dropsite,
  { code, codeExpiresIn }: { code: string; codeExpiresIn: number },
): DropsiteDeliveryResponse {
  const { link, clientId, name, description, passwordHash, allowAnonymous, allowedTypes } = dropsite;
  const { maxItemsPerDay, maxBytesPerDay, expiresAt } = dropsite;
  const limits = { allowedTypes, maxItemsPerDay, maxBytesPerDay, expiresAt };
  return { link, clientId, code, codeExpiresIn, name, description, requiresPassword: passwordHash !== null, allowAnonymous, ...limits };
}

/** A code to be exchanged for a session, and the sender's details. */
export class DropsiteClaimDto {
  /** From deliver; can be used once. @example "4kX0b1mVYw8S1bq3i6m2l5v9d0c7e1f4a8h3j2k6n5p" */
  @IsString()
  @MaxLength(MAX_CHARACTERS)
  code: string;

  /** Requests with the same address have the same sender. Without an address a new sender is created. @example "grace@example.org" */
  @ValidateIf((_, value) => value !== undefined && value !== null && value !== '')
  @MaxLength(MAX_CHARACTERS)
  @IsUserAddress()
  @IsString()
  email?: string;

  /** @example "Grace" */
  @IsOptional()
  @MaxLength(MAX_CHARACTERS)
  @Matches(LINE, { message: 'firstname must be one line of text' })
  @IsString()
  firstname?: string;

  /** @example "Hopper" */
  @IsOptional()
  @MaxLength(MAX_CHARACTERS)
  @Matches(LINE, { message: 'lastname must be one line of text' })
  @IsString()
  lastname?: string;

  /** Password of the dropsite, if it has one. @example "open sesame" */
  @IsOptional()
  @MaxLength(1_024)
  @IsString()
  password?: string;

  /** Returned as it was sent. @example "af0ifjsldkj" */
  @IsOptional()
  @MaxLength(1_024)
  @IsString()
  state?: string;
}

/** A code of the dropsite with this link. */
export class DropsiteTokenDto extends IntersectionType(DropsiteLinkDto, DropsiteClaimDto) {}

/** A session: the Token response, and the sender. */
export class DropsiteTokenResponse extends TokenResponse {
  /** As it was sent, in lower case, or generated. @example "grace@example.org" */
  email: string;
  /** As it was sent; otherwise empty. @example "Grace" */
  firstname: string;
  /** As it was sent; otherwise empty. @example "Hopper" */
  lastname: string;
}

/** Contains only what the sender has just sent, because the response must not reveal whether the address was known before. */
export function toDropsiteTokenResponse(
  { accessToken, expiresAt, clientId, sender }: DropsiteSession,
  { sent, ttlSeconds, scope }: { sent: DropsiteTokenDto; ttlSeconds: number; scope: string },
): DropsiteTokenResponse {
  const user = { ...sender, adminLevel: 0 };
  const fields = toTokenResponseFields({ accessToken, expiresAt, clientId, user, state: sent.state ?? undefined });
  const names = { email: sender.email, firstname: sent.firstname ?? '', lastname: sent.lastname ?? '' };
  return { access_token: accessToken, expires_in: ttlSeconds, scope, ...fields, ...names } as unknown as DropsiteTokenResponse;
}
