import { Injectable } from '@nestjs/common';
import type { ContainerWithMedia } from '../media-containers.service.js';

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

/** What a customer's list of containers needs; `containerIds` are all of its containers, so that few statements read everything. */
type Preparation = (customerId: number, containerIds: readonly number[]) => Promise<PreviewFinder>;

/** Previews of containers: media depends on neither formats nor delivery, so delivery registers itself here. */
@Injectable()
export class ContainerPreviews {
  private preparation: Preparation | null = null;

  /** Registers what prepares previews; must be called before the application starts. */
  register(preparation: Preparation): void {
    this.preparation = preparation;
  }

  /** Prepares the previews of these containers, which belong to the customer. */
  async prepare(customerId: number, containerIds: readonly number[]): Promise<PreviewFinder> {
    return (await this.preparation?.(customerId, containerIds)) ?? (() => null);
  }
}
