import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../shared/auth/index.js';
import { Config } from '../../../shared/config/index.js';
import { generalErrors } from '../../../shared/errors.js';
import { CustomersService } from '../../accounts/index.js';
import { MediaReaderRepository } from '../../media/index.js';
import type { Converter } from '../converters/converters.js';
import { FormatsService } from '../formats.service.js';
import { type BuiltMetadata, buildMetadataTags } from './build-metadata-tags.js';

/** Converters whose files are those that were uploaded, with their metadata. */
const UNCHANGED: readonly Converter[] = ['original', 'copy'];

/** Shows what a format would write into a file of a media container. */
@Injectable()
export class MetadataPreviewService {
  constructor(
    private readonly formats: FormatsService,
    private readonly media: MediaReaderRepository,
    private readonly customers: CustomersService,
    private readonly config: Config,
  ) {}

  /** Returns the metadata. Throws `not_found` for the format or the container. */
  async show(caller: Caller, { id, mediaContainerId }: { id: number; mediaContainerId: number }): Promise<BuiltMetadata> {
    const { format } = await this.formats.get(caller, id);
    const item = await this.media.findDescription(caller.customerId, mediaContainerId);
    if (!item) throw generalErrors.not_found(`There is no media container ${mediaContainerId}.`);
    const { converter, settings } = format;
    if (UNCHANGED.includes(converter)) {
      return { tags: [], skipped: (settings.metadata ?? []).map(({ metaTitle }) => ({ metaTitle, reason: 'the file is not changed' })) };
    }
    const customer = await this.customers.get(caller);
    return buildMetadataTags({
      settings,
      item: { ...item, license: item.license && { ...item.license } },
      customer,
      serviceName: this.config.serviceName,
    });
  }
}
