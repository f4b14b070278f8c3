import { userInfo } from 'node:os';

/** Who runs the command line, as the audit trail names them: `admin:` and the user of the operating system. */
export function operatorName(): string {
  try {
    return `admin:${userInfo().username}`;
  } catch {
    return `admin:uid-${process.getuid?.() ?? 'unknown'}`; // a container's user often has no entry in /etc/passwd
  }
}
