import { type DomainError, defineErrors, generalErrors } from '../../shared/errors.js';

export const subscriptionErrors = defineErrors({
  mail_not_configured: {
    kind: 'unavailable',
    meaning: 'This installation sends no e-mails (SMTP_URL is not set), so an instruction of type email would never succeed.',
  },
  not_for_instructions: {
    kind: 'forbidden',
    meaning: 'An instruction of a subscription cannot repeat attempts: two instructions could repeat each other endlessly.',
  },
  run_under_way: { kind: 'conflict', meaning: 'An attempt at the instruction is running or scheduled; see the log.' },
  run_gone: {
    kind: 'gone',
    meaning: 'The event or the instruction is no longer stored (LOG_RETENTION_DAYS), so the attempt cannot be repeated.',
  },
});

/** The error for unknown subscriptions, and for those of other customers. */
export const unknownSubscription = (id: number): DomainError => generalErrors.not_found(`There is no subscription ${id}.`);
