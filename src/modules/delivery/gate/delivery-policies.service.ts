import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { VisibleFormats } from '../../formats/index.js';
import type { DeliveredConfiguration } from '../../player-configurations/index.js';
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

/** The formats that a configuration delivers; previews are never downloadable, regardless of the configuration. */
const deliveredFormats = (configuration: DeliveredConfiguration, { byId }: VisibleFormats) =>
  configuration.formats.flatMap(({ formatId, downloadable }) => {
    const format = byId.get(formatId);
    return format ? [{ formatId, downloadable: downloadable && format.usage !== 'preview' }] : [];
  });
