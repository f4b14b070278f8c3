import { Injectable } from '@nestjs/common';
import { defineErrors } from '../../../shared/errors.js';
import { SecretBoxService } from '../../../shared/secrets/index.js';

const errors = defineErrors({
  csrf_mismatch: {
    kind: 'forbidden',
    meaning: 'The form does not belong to this login or session; open the page again and repeat the action.',
  },
});

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
    throw errors.csrf_mismatch('This form has expired. Open the page again and repeat the action.');
  }
}

/** The subject of the ticket for a consent window that a frame opens; it differs from the subject of the forms in the frame. */
export const ticketOf = (uid: string): string => `consent window ${uid}`;
