import { type DomainError, generalErrors } from '../../shared/errors/index.js';

type Version = { readonly id: number; readonly version: number };

/** The strong ETag of a row in a version. */
export const entityTagOf = ({ id, version }: Version): string => `"${id}-${version}"`;

/** Throws `precondition_failed` unless an If-Match header, if one was sent, names this version (RFC 9110 section 13.1.1: weak tags never do). */
export function checkVersion(row: Version, ifMatch: string | undefined): void {
  if (ifMatch === undefined) return;
  const wanted = ifMatch.split(',').map((one) => one.trim()); // no tag of this service contains a comma
  if (!wanted.includes('*') && !wanted.includes(entityTagOf(row))) throw versionChanged(row);
}

export const versionChanged = ({ id }: Pick<Version, 'id'>): DomainError =>
  generalErrors.precondition_failed(`The player configuration ${id} has changed since the version that If-Match names. Read it again.`);
