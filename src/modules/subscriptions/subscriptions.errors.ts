import { type DomainError, defineErrors, generalErrors } from '../../shared/errors/index.js';

export const subscriptionErrors = defineErrors({
  mail_not_configured: {
    kind: 'unavailable',
    meaning: 'This installation sends no e-mails (SMTP_URL is not set), so an instruction of type email would never succeed.',
  },
  not_for_instructions: {
    kind: 'forbidden',
    meaning: 'An instruction of a subscription may not send anything again: two of them could do so for each other without end.',
  },
  run_under_way: { kind: 'conflict', meaning: 'The instruction is being tried or waits for its next try; look into the log.' },
  run_gone: { kind: 'gone', meaning: 'What is needed to send it again is not kept any more (LOG_RETENTION_DAYS).' },
});

/** Also for somebody else's. */
export const unknownSubscription = (id: number): DomainError => generalErrors.not_found(`There is no subscription ${id}.`);
