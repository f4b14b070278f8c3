// The processor time that processes have used (Linux). Unlike a rate, it hardly depends on what else runs on the machine.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** USER_HZ, the unit in which Linux counts on every platform that Node supports. */
const TICKS_PER_SECOND = 100;

/** The `parent` of a process, and the seconds that it and its ended children have used; null if the process has ended. */
function readProcess(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const [, parent, ...rest] = stat.slice(stat.lastIndexOf(')') + 2).split(' '); // the name of the program may contain anything
    const ticks = rest.slice(9, 13).reduce((sum, part) => sum + Number(part), 0); // utime, stime, cutime, cstime
    return { pid, parent: Number(parent), seconds: ticks / TICKS_PER_SECOND };
  } catch (error) {
    if (['ENOENT', 'ESRCH'].includes(error.code)) return null;
    throw error;
  }
}

/** The process id of the PostgreSQL of a data directory. */
export const postmasterOf = (dataDir) => Number(readFileSync(path.join(dataDir, 'postgres/postmaster.pid'), 'utf8').split('\n')[0]);

/**
 * Seconds that each of these groups of processes uses while `work` runs, including all descendants, even if they end meanwhile. A descendant
 * that is in a group itself counts only once: PostgreSQL may be a child of the service that started it.
 */
export async function processorTimeOf(groups, work) {
  const named = new Set(Object.values(groups).flat());
  const before = readGroups(groups, named);
  await work();
  const after = readGroups(groups, named);
  return Object.fromEntries(Object.keys(groups).map((name) => [name, after[name] - before[name]]));
}

function readGroups(groups, named) {
  const all = readdirSync('/proc').map(Number).filter(Boolean).map(readProcess).filter(Boolean);
  const below = (pid) =>
    all.filter((one) => one.parent === pid && !named.has(one.pid)).reduce((sum, child) => sum + child.seconds + below(child.pid), 0);
  const secondsOf = (pid) => (all.find((one) => one.pid === pid)?.seconds ?? 0) + below(pid);
  return Object.fromEntries(Object.entries(groups).map(([name, pids]) => [name, pids.reduce((sum, pid) => sum + secondsOf(pid), 0)]));
}
