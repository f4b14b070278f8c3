import { Injectable } from '@nestjs/common';
import { FormatReaderService, type VisibleFormats } from '../../formats/index.js';
import type { DeliveredConfiguration } from '../../player-configurations/index.js';
import { type CompiledPolicy, compilePolicy } from '../decision/decide-delivery.js';

interface Compiled {
  readonly formats: VisibleFormats;
  readonly policy: CompiledPolicy;
}

/** Caches compiled policies as long as the configuration and the formats from which they were compiled are unchanged. */
@Injectable()
export class DeliveryPoliciesService {
  private readonly compiled = new WeakMap<DeliveredConfiguration, Compiled>();

  constructor(private readonly formats: FormatReaderService) {}

  async compile(configuration: DeliveredConfiguration): Promise<Compiled> {
    const { value: formats } = await this.formats.visibleTo(configuration.customerId);
    const known = this.compiled.get(configuration);
    if (known?.formats === formats) return known;
    const compiled = { formats, policy: compilePolicy({ ...configuration, formats: deliveredFormats(configuration, formats) }) };
    this.compiled.set(configuration, compiled);
    return compiled;
  }
}

/** The formats that a configuration delivers; previews are never downloadable, regardless of the configuration. */
const deliveredFormats = (configuration: DeliveredConfiguration, { byId }: VisibleFormats) =>
  configuration.formats.flatMap(({ formatId, downloadable }) => {
    const format = byId.get(formatId);
    return format ? [{ formatId, downloadable: downloadable && format.usage !== 'preview' }] : [];
  });
