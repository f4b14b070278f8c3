import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { mimeTypeOf } from '../../../shared/media-types/index.js';
import { ObjectStorage } from '../../../shared/storage/index.js';
import { deliveryErrors } from '../gate/delivery.errors.js';
import { DeliveryGate, type OpenedLink, type Wish } from '../gate/delivery-gate.js';
import { chooseFormat } from './choose-format.js';
import { type DeliveryLimits, limitsOf } from './delivery-limits.js';
import type { StreamedFile } from './file-stream.js';
import { fileErrors } from './files.errors.js';
import { PlaybackLeases } from './playback-leases.js';
import { urlLifetime } from './url-lifetime.js';

/** A file is fetched from the storage, or where a bandwidth is set, sent by the service. */
export type DeliveredFile = { readonly url: string } | { readonly stream: StreamedFile };

/** The files behind embed links. */
@Injectable()
export class FilesService {
  constructor(
    private readonly gate: DeliveryGate,
    private readonly leases: PlaybackLeases,
    private readonly storage: ObjectStorage,
  ) {}

  /** Throws as the gate does, 404 `media_not_available`, 429 `parallel_limit_reached`. */
  async open(link: string, request: Request, wish: Pick<Wish, 'formatId' | 'download'>): Promise<DeliveredFile> {
    const opened = await this.gate.open(link, request, { ...wish, fromPlayer: true });
    const chosen = chooseFormat(opened.formats, wish);
    if (!chosen) throw mediaNotAvailable();
    const limits = limitsOf(opened.policy, opened.viewer);
    if (request.method !== 'HEAD') await this.holdLease(opened, limits, request);
    const { item } = chosen;
    const disposition = wish.download ? 'attachment' : 'inline';
    const { s3Key: key, fileExtension } = item;
    const file = { key, disposition, fileName: nameOf(opened.container.name, fileExtension) } as const;
    if (limits.bandwidth) {
      const { cidr, limit } = limits.bandwidth;
      const budget = { playerConfigurationId: opened.configuration.id, cidr, kbitPerSecond: Math.max(1, limit) };
      return { stream: { ...file, fileExtension, budget } };
    }
    const expiresInSeconds = urlLifetime(item, { download: wish.download === true });
    return { url: await this.storage.signedUrl({ ...file, expiresInSeconds, contentType: mimeTypeOf(fileExtension) }) };
  }

  /** The player says that it still plays. Throws as `open`. */
  async renewLease(link: string, request: Request): Promise<void> {
    const opened = await this.gate.open(link, request, { fromPlayer: true });
    await this.holdLease(opened, limitsOf(opened.policy, opened.viewer), request);
  }

  private async holdLease({ link, configuration }: OpenedLink, { parallel }: DeliveryLimits, request: Request): Promise<void> {
    if (!parallel) return;
    const { clientAddress: viewer } = request.context;
    const play = { playerConfigurationId: configuration.id, cidr: parallel.cidr, embedLinkId: link.id, viewer };
    const retryAfter = await this.leases.hold(play, parallel.limit);
    if (retryAfter === null) return;
    throw fileErrors.parallel_limit_reached('As many people in your network are watching as may at the same time.', { retryAfter });
  }
}

export const mediaNotAvailable = () => deliveryErrors.media_not_available('There is no file of this format yet.');

/** The name of the container with the extension of the file, unless it ends so anyway. */
function nameOf(name: string, extension: string): string {
  const isThere = extension === '' || name.toLowerCase().endsWith(`.${extension.toLowerCase()}`);
  return isThere ? name : `${name}.${extension}`;
}
