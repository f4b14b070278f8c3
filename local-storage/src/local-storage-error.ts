/** Why a storage did not start. */
type Reason = 'production' | 'folder_in_use' | 'port_unusable' | 'cannot_listen';

/** The storage cannot start. The message is one line: a fact, and what to do about it, for which a caller may have better words. */
export class LocalStorageError extends Error {
  override readonly name = 'LocalStorageError';

  constructor(
    readonly reason: Reason,
    readonly fact: string,
    advice: string,
  ) {
    super(`${fact}: ${advice}`);
  }
}
