import type { ClaimedJob } from './claimed-job.js';

/** Whose renditions. */
export type RenditionPlace = Pick<ClaimedJob, 'id' | 'customerId' | 'mediaContainerId'>;

/** With what the keys of a job's renditions begin. */
export const renditionPrefix = ({ id, customerId, mediaContainerId }: RenditionPlace): string =>
  `renditions/${customerId}/${mediaContainerId}/${id}/`;

/** Where an attempt puts its rendition: nobody else ever writes there, and no name of a user's stands in it. */
export const renditionKey = (job: RenditionPlace & Pick<ClaimedJob, 'attempt'>, fileExtension: string): string =>
  `${renditionPrefix(job)}${job.attempt}.${fileExtension}`;
