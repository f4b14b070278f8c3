import { Injectable } from '@nestjs/common';
import { DomainError } from '../../../shared/errors/index.js';
import { SupportAccessService, type SupportRequest } from '../../accounts/index.js';
import { TokenRequestError } from './token-request-error.js';

/** A token with which support staff acts as a user of a customer. */
export interface SupportToken {
  /** The user of the staff: `casa.id`. */
  readonly staffId: number;
  /** The user whom the token acts as. */
  readonly userId: number;
  /** Why, for the token that begins the visit; a refreshed one goes on with it. */
  readonly reason: string | null;
}

/** The parameter `casa` (customer-approved support access) of the token endpoint. */
@Injectable()
export class SupportTokens {
  constructor(private readonly access: SupportAccessService) {}

  /** Whether support access is open to the staff user whose code it is. Throws `invalid_grant`. */
  async begin(staffId: number, casa: unknown): Promise<SupportToken> {
    const request = decode(casa);
    try {
      await this.access.check(staffId, request);
      return { staffId, userId: request.userId, reason: request.reason };
    } catch (error) {
      if (error instanceof DomainError) throw new TokenRequestError('invalid_grant', error.detail);
      throw error;
    }
  }

  /** The token is about to be handed out: from here on it is a visit, for the customer to see. */
  async record({ staffId, userId, reason }: SupportToken): Promise<void> {
    if (reason !== null) await this.access.recordVisit(staffId, { userId, reason });
  }

  /** A refreshed token goes on as long as the support window is open; null for a token of a regular login. Throws `invalid_grant`. */
  async goOn(stored: unknown): Promise<SupportToken | null> {
    if (stored === undefined || stored === null) return null;
    const { staffId, userId } = stored as SupportToken;
    if (await this.access.isOpen(staffId, userId)) return { staffId, userId, reason: null };
    throw new TokenRequestError('invalid_grant', 'the support access has ended');
  }
}

/** base64 of `{ customerId, userId, reason }`. */
function decode(casa: unknown): SupportRequest {
  try {
    if (typeof casa !== 'string' || !/^[A-Za-z0-9+/_-]+={0,2}$/.test(casa)) throw new Error();
    const { customerId, userId, reason } = JSON.parse(Buffer.from(casa, 'base64').toString('utf8')) as Record<string, unknown>;
    if (!isId(customerId) || !isId(userId) || typeof reason !== 'string' || reason.trim() === '' || reason.length > 1_000)
      throw new Error();
    if (reason.includes('\0')) throw new Error();
    return { customerId, userId, reason: reason.trim() };
  } catch {
    throw new TokenRequestError('invalid_grant', 'casa must be base64 of {"customerId": …, "userId": …, "reason": "…"} with a reason');
  }
}

const isId = (value: unknown): value is number => Number.isInteger(value) && Number(value) > 0 && Number(value) < 2 ** 31;
