/** The seconds by which the clock of this machine is ahead of PostgreSQL's, negative: behind; 0 if PostgreSQL did not tell its time. */
export function clockDifference(databaseTime: Date | null, { askedAt, answeredAt }: { askedAt: number; answeredAt: number }): number {
  if (databaseTime === null) return 0;
  const time = databaseTime.getTime(); // PostgreSQL read it at some moment between the question and the answer
  if (askedAt > time) return (askedAt - time) / 1_000;
  return answeredAt < time ? (answeredAt - time) / 1_000 : 0;
}

/** Describes a difference, as a sentence for the operator. */
export function explainClock(seconds: number): string {
  const direction = seconds > 0 ? 'ahead of' : 'behind';
  return `${BEGINNING} ${Math.round(Math.abs(seconds))} seconds ${direction} that of PostgreSQL: synchronize both (NTP).`;
}

/** Whether a sentence is one of `explainClock`. */
export const isAboutClock = (sentence: string): boolean => sentence.startsWith(BEGINNING);

const BEGINNING = 'The clock of this machine is';
