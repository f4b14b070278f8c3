/** Starts a timer of the milliseconds of processor time that this process takes: other processes of a busy machine do not count. */
export function startCpuTimer(): () => number {
  const before = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1_000;
  };
}
