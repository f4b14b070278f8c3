import type { ClaimedTranscoding } from './transcodings.repository.js';

/** The transcoding whose renditions are stored. */
export type RenditionPlace = Pick<ClaimedTranscoding, 'id' | 'customerId' | 'mediaContainerId'>;

/** The prefix of the keys of a transcoding's renditions. */
export const renditionPrefix = ({ id, customerId, mediaContainerId }: RenditionPlace): string =>
  `renditions/${customerId}/${mediaContainerId}/${id}/`;

/** The key under which an attempt stores its rendition. Nothing else is ever written there, and it contains no name chosen by a user. */
export const renditionKey = (transcoding: RenditionPlace & Pick<ClaimedTranscoding, 'attempt'>, fileExtension: string): string =>
  `${renditionPrefix(transcoding)}${transcoding.attempt}.${fileExtension}`;
