import { Injectable } from '@nestjs/common';

/** Called when the removal of a media container is scheduled, in the same transaction. */
export interface ContainerRemovalListener {
  containerRemovalScheduled(containerId: number): Promise<void>;
}

/** Notifies higher modules of the removal of containers, so that they stop making renditions of them. */
@Injectable()
export class ContainerRemovalListeners {
  private readonly all: ContainerRemovalListener[] = [];

  /** Registers a listener; must be called before the application starts. */
  register(listener: ContainerRemovalListener): void {
    this.all.push(listener);
  }

  async notify(containerId: number): Promise<void> {
    for (const listener of this.all) await listener.containerRemovalScheduled(containerId);
  }
}

/** Called when media items of these formats are deleted, in the same transaction. */
export interface MediaRemovalListener {
  mediaRemoved(formatIds: readonly number[]): Promise<void>;
}

/** Notifies higher modules of the deletion of media items, so that softly destroyed formats are deleted with their last item. */
@Injectable()
export class MediaRemovalListeners {
  private readonly all: MediaRemovalListener[] = [];

  /** Registers a listener; must be called before the application starts. */
  register(listener: MediaRemovalListener): void {
    this.all.push(listener);
  }

  async notify(formatIds: readonly number[]): Promise<void> {
    for (const listener of this.all) await listener.mediaRemoved(formatIds);
  }
}
