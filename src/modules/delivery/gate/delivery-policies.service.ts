import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { FORMAT_DESTROYED, type Format, isForDelivery, isUsedInPlayer, mediaTypesOf, type VisibleFormats } from '../../formats/index.js';
import type { DeliveredConfiguration, DeliveredFormat } from '../../player-configurations/index.js';
import { type CompiledPolicy, compilePolicy, type ProtectedConfiguration } from '../decision/decide-delivery.js';

/** Characters of JSON of the configurations whose policies are kept; the policies take a few times as many bytes. */
const MAX_CHARACTERS = 4 * 1024 * 1024;

/** Compiles the policies of configurations, and keeps them by the version of the configuration and by its formats. */
@Injectable()
export class DeliveryPoliciesService {
  private readonly policies = new LRUCache<string, CompiledPolicy>({ maxSize: MAX_CHARACTERS });

  /** Returns the policy of a configuration; `visible` are the formats that its customer sees. */
  compile(configuration: DeliveredConfiguration, visible: VisibleFormats): CompiledPolicy {
    const { id, version, securitySettings, settings } = configuration;
    const formats = deliveredFormats(configuration, visible);
    const key = JSON.stringify([id, version, formats]);
    const known = this.policies.get(key);
    if (known) return known;
    const compiled: ProtectedConfiguration = { securitySettings, settings, formats };
    const policy = compilePolicy(compiled);
    this.policies.set(key, policy, { size: JSON.stringify(compiled).length });
    return policy;
  }
}

/**
 * The formats that a configuration delivers: those that it names, then with `automaticFormats` those that are for viewers. Previews are never
 * downloadable, regardless of the configuration.
 */
function deliveredFormats(configuration: DeliveredConfiguration, { all, byId }: VisibleFormats): DeliveredFormat[] {
  const named = configuration.formats.flatMap(({ formatId, downloadable }) => {
    const format = byId.get(formatId);
    return format ? [{ formatId, downloadable: downloadable && format.usage !== 'preview' }] : [];
  });
  if (!configuration.automaticFormats) return named;
  const isNamed = new Set(named.map(({ formatId }) => formatId));
  const automatic = all.filter((format) => !isNamed.has(format.id) && isAutomatic(format, configuration));
  return [...named, ...automatic.map(({ id: formatId, converter }) => ({ formatId, downloadable: converter === 'original' }))];
}

/** Whether viewers of a configuration with `automaticFormats` get the files of a format (contract section 14.2): originals with `settings.download`. */
function isAutomatic(format: Format, { type, settings }: DeliveredConfiguration): boolean {
  if (format.flag === FORMAT_DESTROYED || !mediaTypesOf(format).includes(type)) return false;
  if (format.converter === 'original') return settings?.download === true;
  return format.usage === 'transcoding' && isUsedInPlayer(format) && isForDelivery(format);
}
