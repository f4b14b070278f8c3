import { Injectable } from '@nestjs/common';

/** Hears that media items of these formats are gone, in the transaction that deletes their rows. */
export interface MediaRemovalListener {
  mediaRemoved(formatIds: readonly number[]): Promise<void>;
}

/** Who hears when media items go: the port by which formats that were destroyed softly end with their last item. */
@Injectable()
export class MediaRemovalListeners {
  private readonly all: MediaRemovalListener[] = [];

  register(listener: MediaRemovalListener): void {
    this.all.push(listener);
  }

  async tell(formatIds: readonly number[]): Promise<void> {
    for (const listener of this.all) await listener.mediaRemoved(formatIds);
  }
}
