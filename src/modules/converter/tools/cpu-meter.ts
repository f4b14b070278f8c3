import { readdir, readFile } from 'node:fs/promises';

/** Linux counts processor time for programs in hundredths of a second (USER_HZ), whatever the kernel's own clock is. */
const TICKS_PER_SECOND = 100;
/** Of the fields behind the name of the program (proc_pid_stat(5)): utime, stime, cutime and cstime. */
const TIMES = { first: 11, end: 15 } as const;

/** How often the processor time of a program is measured. What it uses after the last time is not counted. */
export const CPU_POLL_MS = 500;

/** Measures the processor time of a program while it runs. */
export class CpuMeter {
  /** Seconds. */
  used = 0;
  private readonly timer: NodeJS.Timeout;

  /** `onMeasured` receives the seconds that have been used. */
  constructor(pid: number | undefined, onMeasured: (used: number) => void) {
    const measure = async () => {
      if (pid === undefined) return; // it could not be started
      this.used = Math.max(this.used, await cpuSecondsOf(pid));
      onMeasured(this.used);
    };
    this.timer = setInterval(() => void measure(), CPU_POLL_MS);
  }

  stop(): void {
    clearInterval(this.timer);
  }
}

/**
 * The processor time in seconds of a process and of all processes that it started, running or ended. 0 if it has ended, and on systems without
 * Linux's /proc.
 */
async function cpuSecondsOf(pid: number): Promise<number> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' '); // the name may contain blanks and parentheses
    const own = fields.slice(TIMES.first, TIMES.end).reduce((sum, ticks) => sum + Number(ticks), 0) / TICKS_PER_SECOND;
    const ofChildren = await Promise.all((await childrenOf(pid)).map(cpuSecondsOf));
    return ofChildren.reduce((sum, seconds) => sum + seconds, own);
  } catch {
    return 0; // it ended in the meantime: its parent counts its time
  }
}

/** The processes that a process has started; the system lists them by thread. */
async function childrenOf(pid: number): Promise<number[]> {
  const threads = await readdir(`/proc/${pid}/task`);
  const lists = await Promise.all(
    threads.map(async (thread) => await readFile(`/proc/${pid}/task/${thread}/children`, 'utf8').catch(() => '')),
  );
  return lists.flatMap((list) => list.split(' ').filter(Boolean).map(Number));
}
