import type { ContainerWithMedia } from './media-containers.service.js';

/** A picture of a container, for lists. */
export interface ContainerPreview {
  /** Redirects to the picture, without credentials. */
  readonly url: string;
  /** Pixels. */
  readonly width: number;
  readonly height: number;
  readonly expiresAt: Date;
}

/** Finds the preview of one of the containers for which it was prepared; null: it has no picture. */
export type PreviewFinder = (found: ContainerWithMedia) => ContainerPreview | null;

/** Previews of containers, for lists. */
export abstract class ContainerPreviews {
  /** Prepares the previews of these containers, which belong to the customer; few statements read what all of them need. */
  abstract prepare(customerId: number, containerIds: readonly number[]): Promise<PreviewFinder>;
}
