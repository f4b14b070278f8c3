/** Whether this process is root, whom PostgreSQL refuses to run as. False where users have no numbers. */
export function isRoot(): boolean {
  return process.getuid?.() === 0;
}
