import { statSync } from 'node:fs';
import path from 'node:path';

/** A user by number, in no other groups. */
export interface Identity {
  readonly uid: number;
  readonly gid: number;
}

/** Whether the user may pass every folder down to `target` and enter (or run) it, by mode bits; access lists are not looked at. */
export function canReach(target: string, who: Identity): boolean {
  const parent = path.dirname(target);
  return mayEnter(target, who) && (parent === target || canReach(parent, who));
}

function mayEnter(target: string, who: Identity): boolean {
  const { uid, gid, mode } = statSync(target);
  if (uid === who.uid) return (mode & 0o100) !== 0;
  if (gid === who.gid) return (mode & 0o010) !== 0;
  return (mode & 0o001) !== 0;
}
