import { Injectable } from '@nestjs/common';
import { type Customer, CustomersService } from '../../accounts/index.js';
import {
  commandOf,
  FORMAT_DESTROYED,
  type Format,
  FormatReaderService,
  isSoundForStreaming,
  type Parameters,
} from '../../formats/index.js';
import {
  type ContainerDescription,
  type ContainerType,
  type DeliverableItem,
  type FileDescription,
  MediaReaderRepository,
} from '../../media/index.js';
import { executionErrors } from '../transcodings/transcodings.errors.js';
import { type ClaimedTranscoding, TranscodingsRepository } from '../transcodings/transcodings.repository.js';

/** Everything that is needed to make a rendition. */
export interface Recipe {
  /** The format with its effective settings. */
  readonly format: Format;
  readonly command: Parameters;
  readonly source: DeliverableItem & { readonly type: Exclude<ContainerType, 'watermark'> };
  /** What the inspection of the source found out; null: it has not been inspected. */
  readonly fileDescription: FileDescription | null;
  /** The descriptive metadata of the container. */
  readonly description: ContainerDescription;
  readonly customer: Customer;
  /** The watermark assets of the format; null: it has none. */
  readonly watermark: DeliverableItem | null;
  readonly audioWatermark: DeliverableItem | null;
  /** Whether the sounds of the source are streaming renditions of their own, or are about to be. */
  readonly hasStreamedSounds: boolean;
}

/** What a rendition is made of. */
export type RecipeSource = Pick<ClaimedTranscoding, 'customerId' | 'mediaContainerId' | 'sourceMediaId' | 'formatId'>;

/** Reads format, media and customer of a transcoding as they are now. */
@Injectable()
export class RecipeReaderService {
  constructor(
    private readonly formats: FormatReaderService,
    private readonly media: MediaReaderRepository,
    private readonly customers: CustomersService,
    private readonly transcodings: TranscodingsRepository,
  ) {}

  /** Throws `format_gone`, `source_missing`, `watermark_missing`. */
  async read({ customerId, mediaContainerId, sourceMediaId, formatId }: RecipeSource): Promise<Recipe> {
    const [visible, [found], fileDescription, description, customer, inProgress] = await Promise.all([
      this.formats.visibleTo(customerId),
      this.media.findMany(customerId, [mediaContainerId]),
      this.media.findFileDescription(sourceMediaId),
      this.media.findDescription(customerId, mediaContainerId),
      this.customers.find(customerId),
      this.transcodings.findFormats(sourceMediaId),
    ]);
    const format = visible.byId.get(formatId);
    if (!format || format.flag === FORMAT_DESTROYED) throw executionErrors.format_gone(`The format ${formatId} no longer exists.`);
    const items = found?.items ?? [];
    const source = items.find(({ id }) => id === sourceMediaId);
    if (!source || !isSource(source) || !description || !customer) {
      throw executionErrors.source_missing(`The original of the media container ${mediaContainerId} no longer exists.`);
    }
    const { watermark, audioWatermark } = format.settings;
    const commandFor = (one: Format) => commandOf(one, visible.byId.get(one.blueprintId ?? 0) ?? null).command;
    const isStreamedSound = (id: number | null) => {
      const one = id === null ? undefined : visible.byId.get(id);
      return one !== undefined && isSoundForStreaming(one.settings, commandFor(one));
    };
    return {
      format,
      command: commandFor(format),
      source,
      fileDescription,
      description,
      customer,
      watermark: watermark ? await this.findAsset(customerId, watermark.mediaContainerId, 'image') : null,
      audioWatermark: audioWatermark ? await this.findAsset(customerId, audioWatermark.mediaContainerId, 'audio') : null,
      hasStreamedSounds: [...items.map((item) => item.formatId), ...inProgress].some(isStreamedSound),
    };
  }

  /** The original of a watermark asset. */
  private async findAsset(customerId: number, containerId: number, type: 'image' | 'audio'): Promise<DeliverableItem> {
    const [asset] = await this.media.findMany(customerId, [containerId]);
    const [original] = asset?.items ?? [];
    if (asset?.container.flag === 33 && asset.container.type === 'watermark' && original?.type === type) return original;
    throw executionErrors.watermark_missing(`The watermark asset ${containerId} no longer exists, or is not of the type ${type}.`);
  }
}

const isSource = (item: DeliverableItem): item is Recipe['source'] => item.type !== 'watermark';
