import type { DomainError } from '../../shared/errors/index.js';
import { accountsErrors } from './accounts.errors.js';
import type { Admission } from './login-failures.repository.js';

/** 429 `login_delayed`, with the seconds to wait. */
export function tooManyTries({ waitSeconds }: Admission): DomainError {
  const detail = `Too many failed tries. Wait ${waitSeconds} ${waitSeconds === 1 ? 'second' : 'seconds'} and try again.`;
  return accountsErrors.login_delayed(detail, { retryAfter: waitSeconds });
}
