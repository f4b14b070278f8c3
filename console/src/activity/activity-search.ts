import type { components } from '@media-delivery/sdk';

type Job = Pick<components['schemas']['ActivityResponse'], 'status' | 'type' | 'progress'>;

export const STATES = ['waiting', 'running', 'successful', 'failed'] as const;
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

/** The state of a job. The service calls a waiting rendition running; it has no progress until a worker has begun it. */
export const stateOf = ({ status, type, progress }: Job): State =>
  status === 'running' && type === 'transcoding' && !progress ? 'waiting' : (status as State);
