import { IsString, MaxLength } from 'class-validator';
import type { Dropsite } from '../dropsite.entity.js';

const MAX_LINK_CHARACTERS = 255; // whatever is no UUID names no dropsite

/** Which dropsite, by its link. */
export class DropsiteLinkDto {
  /** @example "b1c5a2f0-6a0e-4b57-9c1e-2f1f6f1f0c11" */
  @IsString()
  @MaxLength(MAX_LINK_CHARACTERS)
  link: string;
}

/** What a sender needs to know of a dropsite. */
export class DropsiteDeliveryResponse {
  /** @example "b1c5a2f0-6a0e-4b57-9c1e-2f1f6f1f0c11" */
  link: string;
  /** To be sent as header `clientid` from now on. @example "dropsite-0f8c2a7e-5d55-4f0e-8a0c-7a2b6d1f9e10" */
  clientId: string;
  /** Exchanged for a session once, within minutes. @example "4kX0b1mVYw8S1bq3i6m2l5v9d0c7e1f4a8h3j2k6n5p" */
  code: string;
  /** Seconds until the code expires. @example 600 */
  codeExpiresIn: number;
  /** @example "Photos of the anniversary" */
  name: string;
  /** @example "Please send us your photos." */
  description: string;
  /** Whether `password` has to be sent. @example false */
  requiresPassword: boolean;
  /** Whether a session is not needed. @example true */
  allowAnonymous: boolean;
  /** video, audio, image, document; empty: all. @example ["image"] */
  allowedTypes: string[];
  /** Items that it accepts in a day (UTC), refused ones do not count; null: no limit. @example 100 */
  maxItemsPerDay: number | null;
  /** Bytes that it accepts in a day (UTC); null: no limit. @example 10737418240 */
  maxBytesPerDay: number | null;
  /** ISO 8601; null: never. */
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
