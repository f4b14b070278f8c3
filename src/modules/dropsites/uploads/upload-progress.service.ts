import { Injectable } from '@nestjs/common';
import { PreviewProgressService } from '../../converter/index.js';
import { SenderBatches } from '../../uploads/index.js';
import { DropsiteEntrance } from '../dropsite-entrance.js';
import type { Visitor } from '../visitor.js';
import { type ContainerProgress, containerProgress } from './container-progress.js';

/** What is made of a file. */
export interface FileProgress extends ContainerProgress {
  readonly mediaContainerId: number;
}

/** How far what is made of a sender's files is. */
@Injectable()
export class UploadProgress {
  constructor(
    private readonly entrance: DropsiteEntrance,
    private readonly batches: SenderBatches,
    private readonly transcodings: PreviewProgressService,
  ) {}

  /** Of those files of a batch of which something is or was made. Throws `not_found`, `client_mismatch`. */
  async find({ clientId }: Pick<Visitor, 'clientId'>, { link, uploadId }: { link: string; uploadId: string }): Promise<FileProgress[]> {
    const dropsite = await this.entrance.find(link, { clientId });
    const { items } = await this.batches.getForWatching(clientId, uploadId, dropsite.id);
    const found = await Promise.all(items.map(async ({ mediaContainerId }) => await this.ofContainer(mediaContainerId)));
    return found.flatMap((progress) => progress ?? []);
  }

  private async ofContainer(mediaContainerId: number): Promise<FileProgress | null> {
    const progress = containerProgress((await this.transcodings.find(mediaContainerId)) ?? []);
    return progress && { mediaContainerId, ...progress };
  }
}
