export const STATES = ['running', 'successful', 'failed'] as const;
export type State = (typeof STATES)[number];

/** What the address of the activity says. Absent: jobs in every state. */
export interface ActivitySearch {
  readonly status?: State;
}

/** Reads the query of an address; what it does not know is left out. */
export const readActivitySearch = ({ status }: Record<string, unknown>): ActivitySearch => {
  const known = STATES.find((state) => state === status);
  return known ? { status: known } : {};
};
