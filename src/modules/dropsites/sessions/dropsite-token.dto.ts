import { IntersectionType } from '@nestjs/swagger';
import { IsOptional, IsString, Matches, MaxLength, ValidateIf } from 'class-validator';
import { TokenResponse, toTokenResponseFields } from '../../access/index.js';
import { DropsiteLinkDto } from './dropsite-delivery.dto.js';
import type { DropsiteSession } from './dropsite-sessions.service.js';

const MAX_CHARACTERS = 255;
/** Real or made up, as the sender likes; it only has to look like an address. */
const EMAIL = /^[^\s@\p{Cc}]+@[^\s@\p{Cc}]+$/u;
const LINE = /^\P{Cc}*$/u;

/** A code for a session, and who wants it. */
export class DropsiteClaimDto {
  /** From deliver, used once. @example "4kX0b1mVYw8S1bq3i6m2l5v9d0c7e1f4a8h3j2k6n5p" */
  @IsString()
  @MaxLength(MAX_CHARACTERS)
  code: string;

  /** The same address again is the same sender; without one, or with an empty one, a sender is made up. @example "grace@example.org" */
  @ValidateIf((_, value) => value !== undefined && value !== null && value !== '')
  @MaxLength(MAX_CHARACTERS)
  @Matches(EMAIL, { message: 'email must look like an e-mail address' })
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

  /** Of the dropsite, if it has one. @example "open sesame" */
  @IsOptional()
  @MaxLength(1_024)
  @IsString()
  password?: string;

  /** Comes back as it was sent. @example "af0ifjsldkj" */
  @IsOptional()
  @MaxLength(1_024)
  @IsString()
  state?: string;
}

/** The same, at one link. */
export class DropsiteTokenDto extends IntersectionType(DropsiteLinkDto, DropsiteClaimDto) {}

/** A session: the Token response, and who the sender is. */
export class DropsiteTokenResponse extends TokenResponse {
  /** As it was sent, in lower case, or made up. @example "grace@example.org" */
  email: string;
  /** As it was sent; else empty. @example "Grace" */
  firstname: string;
  /** As it was sent; else empty. @example "Hopper" */
  lastname: string;
}

/** Says of the sender only what the sender has just said: whether the address was known before is nobody's business. */
export function toDropsiteTokenResponse(
  { accessToken, expiresAt, clientId, sender }: DropsiteSession,
  { sent, ttlSeconds, scope }: { sent: DropsiteTokenDto; ttlSeconds: number; scope: string },
): DropsiteTokenResponse {
  const user = { ...sender, adminLevel: 0 };
  const fields = toTokenResponseFields({ accessToken, expiresAt, clientId, user, state: sent.state ?? undefined });
  const names = { email: sender.email, firstname: sent.firstname ?? '', lastname: sent.lastname ?? '' };
  return { access_token: accessToken, expires_in: ttlSeconds, scope, ...fields, ...names } as unknown as DropsiteTokenResponse;
}
