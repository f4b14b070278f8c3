import { Injectable } from '@nestjs/common';
import { type Customer, CustomersService } from '../../accounts/index.js';
import { commandOf, type Format, FormatReader, type Parameters } from '../../formats/index.js';
import { type ContainerDescription, type ContainerType, type DeliverableItem, MediaReader } from '../../media/index.js';
import type { ClaimedJob } from '../jobs/claimed-job.js';
import { executionErrors } from './execution.errors.js';

/** Whatever a job is made of. */
export interface Recipe {
  /** With the settings that count for it. */
  readonly format: Format;
  readonly command: Parameters;
  readonly source: DeliverableItem & { readonly type: Exclude<ContainerType, 'watermark'> };
  /** What is written about the media. */
  readonly description: ContainerDescription;
  readonly customer: Customer;
  /** Originals of the assets that the format names; null: it names none. */
  readonly watermark: DeliverableItem | null;
  readonly audioWatermark: DeliverableItem | null;
}

/** Reads what a job is made of, as it is now. */
@Injectable()
export class RecipeReader {
  constructor(
    private readonly formats: FormatReader,
    private readonly media: MediaReader,
    private readonly customers: CustomersService,
  ) {}

  /** Throws `format_gone`, `source_missing`, `watermark_missing`. */
  async read({ customerId, mediaContainerId, sourceMediaId, formatId }: ClaimedJob): Promise<Recipe> {
    const [{ value: visible }, [found], description, customer] = await Promise.all([
      this.formats.visibleTo(customerId),
      this.media.findMany(customerId, [mediaContainerId]),
      this.media.findDescription(customerId, mediaContainerId),
      this.customers.find(customerId),
    ]);
    const format = visible.byId.get(formatId);
    if (!format || format.flag === 1) throw executionErrors.format_gone(`The format ${formatId} does not exist any more.`);
    const source = found?.items.find(({ id }) => id === sourceMediaId);
    if (!source || !isSource(source) || !description || !customer) {
      throw executionErrors.source_missing(`The original of the media container ${mediaContainerId} does not exist any more.`);
    }
    const { watermark, audioWatermark } = format.settings;
    return {
      format,
      command: commandOf(format, visible.byId.get(format.blueprintId ?? 0) ?? null).command,
      source,
      description,
      customer,
      watermark: watermark ? await this.findAsset(customerId, watermark.mediaContainerId, 'image') : null,
      audioWatermark: audioWatermark ? await this.findAsset(customerId, audioWatermark.mediaContainerId, 'audio') : null,
    };
  }

  /** The original of a watermark asset. */
  private async findAsset(customerId: number, containerId: number, type: 'image' | 'audio'): Promise<DeliverableItem> {
    const [asset] = await this.media.findMany(customerId, [containerId]);
    const [original] = asset?.items ?? [];
    if (asset?.container.flag === 33 && asset.container.type === 'watermark' && original?.type === type) return original;
    throw executionErrors.watermark_missing(`The watermark asset ${containerId} does not exist any more, or is none of the type ${type}.`);
  }
}

const isSource = (item: DeliverableItem): item is Recipe['source'] => item.type !== 'watermark';
