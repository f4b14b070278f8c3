import { Injectable } from '@nestjs/common';
import { SecretBoxService } from '../../../shared/secrets/index.js';
import { oauthErrors } from '../oauth.errors.js';

const PURPOSE = 'csrf';

/** Creates and checks tokens that bind a form to an interaction or session, so that another site cannot submit it. */
@Injectable()
export class CsrfService {
  constructor(private readonly secrets: SecretBoxService) {}

  tokenFor(subject: string): string {
    return this.secrets.mac(PURPOSE, subject).toString('base64url');
  }

  /** @throws DomainError 403 `csrf_mismatch` */
  check(subject: string, token: unknown): void {
    if (typeof token === 'string' && this.secrets.isMac(token, { purpose: PURPOSE, value: subject, encoding: 'base64url' })) return;
    throw oauthErrors.csrf_mismatch('This form has expired. Open the page again and repeat the action.');
  }
}

/** The subject of the ticket for a consent window that a frame opens; it differs from the subject of the forms in the frame. */
export const ticketOf = (uid: string): string => `consent window ${uid}`;
