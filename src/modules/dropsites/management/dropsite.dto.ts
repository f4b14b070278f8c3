import type { Dropsite } from '../dropsite.entity.js';

/** A dropsite as the users of its customer see it. */
export class DropsiteResponse {
  /** @example 3 */
  id: number;
  /** Permanent. The page for people is `/d/{link}`. @example "b1c5a2f0-6a0e-4b57-9c1e-2f1f6f1f0c11" */
  link: string;
  /** Permanent. @example "dropsite-0f8c2a7e-5d55-4f0e-8a0c-7a2b6d1f9e10" */
  clientId: string;
  /** Creator of what arrives, and who is told of it. @example 12 */
  ownerId: number;
  /** @example 1 */
  customerId: number;
  /** @example "Photos of the anniversary" */
  name: string;
  /** @example "Please send us your photos." */
  description: string;
  /** ISO 8601; null: never. */
  expiresAt: Date | null;
  /** Whether senders need a password; the password itself is never answered. @example false */
  requiresPassword: boolean;
  /** Null: no limit. @example 100 */
  maxItemsPerDay: number | null;
  /** Null: no limit. @example 10737418240 */
  maxBytesPerDay: number | null;
  /** Empty: all. @example ["image"] */
  allowedTypes: string[];
  /** @example true */
  allowAnonymous: boolean;
  /** @example [] */
  publicAreaIds: number[];
  /** Batches that were completed. @example 7 */
  countUploads: number;
  /** ISO 8601. */
  createdAt: Date;
  /** ISO 8601. */
  updatedAt: Date;
}

export const toDropsiteResponse = ({ passwordHash, ...dropsite }: Dropsite): DropsiteResponse => ({
  ...dropsite,
  requiresPassword: passwordHash !== null,
});

/** Which dropsite was deleted. */
export class DeletedDropsiteResponse {
  /** @example 3 */
  id: number;
}
