import { defineErrors } from '../errors/index.js';
import type { Caller } from './caller.js';

const errors = defineErrors({
  admin_level_not_sufficient: {
    kind: 'forbidden',
    meaning: 'The user has too low an adminLevel; `requiredAdminLevel` says which one it takes.',
  },
});

/** Refuses callers below an administrator's level; `what` is the end of the sentence "adminLevel N or above is needed to …". */
export function requireAdminLevel({ adminLevel }: Caller, required: number, what: string): void {
  if (adminLevel >= required) return;
  throw errors.admin_level_not_sufficient(`adminLevel ${required} or above is needed to ${what}; yours is ${adminLevel}.`, {
    requiredAdminLevel: required,
  });
}
