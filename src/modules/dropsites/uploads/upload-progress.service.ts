import { Injectable } from '@nestjs/common';
import { type FormatProgress, PreviewProgressService } from '../../converter/index.js';
import { UploadBatchesService } from '../../uploads/index.js';
import { DropsiteEntranceService, type Visitor } from '../dropsite-entrance.service.js';
import type { UploadProgressResponse } from './dropsite-upload.dto.js';

/** Reads the progress of the previews of a sender's files. */
@Injectable()
export class UploadProgressService {
  constructor(
    private readonly entrance: DropsiteEntranceService,
    private readonly batches: UploadBatchesService,
    private readonly transcodings: PreviewProgressService,
  ) {}

  /** The progress of the files of a batch that have renditions. Throws `not_found`, `client_mismatch`. */
  async find(
    { clientId }: Pick<Visitor, 'clientId'>,
    { link, uploadId }: { link: string; uploadId: string },
  ): Promise<UploadProgressResponse[]> {
    const dropsite = await this.entrance.find(link, { clientId });
    const { items } = await this.batches.getForProgress(clientId, uploadId, dropsite.id);
    const known = await this.transcodings.findMany(items.map(({ mediaContainerId }) => mediaContainerId));
    return items.flatMap(({ mediaContainerId }) => {
      const progress = containerProgress(known.get(mediaContainerId) ?? []);
      return progress ? [{ mediaContainerId, ...progress }] : [];
    });
  }
}

/** The total progress of the previews of a file or, if it has none, of all its renditions. Null: it has no renditions. */
export function containerProgress(formats: readonly FormatProgress[]): Omit<UploadProgressResponse, 'mediaContainerId'> | null {
  const previews = formats.filter(({ isPreview }) => isPreview);
  const counted = previews.length > 0 ? previews : formats;
  if (counted.length === 0) return null;
  if (!counted.some(({ status }) => status === 'running')) {
    return counted.some(({ status }) => status === 'successful')
      ? { status: 'successful', progress: 100 }
      : { status: 'failed', progress: 0 };
  }
  const sum = counted.reduce((total, { status, progress }) => total + (status === 'running' ? progress : 100), 0);
  return { status: 'running', progress: Math.floor(sum / counted.length) };
}
