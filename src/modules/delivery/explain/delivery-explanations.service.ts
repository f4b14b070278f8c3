import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../shared/auth/index.js';
import { Config } from '../../../shared/config/index.js';
import { generalErrors } from '../../../shared/errors.js';
import { CdnUrls } from '../../../shared/storage/index.js';
import { PlayerConfigurationCacheService } from '../../player-configurations/index.js';
import { parseAddress } from '../decision/addresses.js';
import { type DeliveryExplanation, explainDelivery } from '../decision/decide-delivery.js';
import { limitsOf } from '../files/files.service.js';
import { DeliveryPoliciesService } from '../gate/delivery-policies.service.js';
import type { ExplainDeliveryDto } from './explain-delivery.dto.js';

/** Explains why a described viewer is admitted or refused, by the same decision as a delivery. */
@Injectable()
export class DeliveryExplanationsService {
  constructor(
    private readonly configurations: PlayerConfigurationCacheService,
    private readonly policies: DeliveryPoliciesService,
    private readonly cdn: CdnUrls,
    private readonly config: Config,
  ) {}

  /** Uses the configuration as it is in the database now. Throws `not_found`. */
  async explain({ customerId }: Caller, { id, ip, ...described }: ExplainDeliveryDto): Promise<ExplainedDelivery> {
    const found = await this.configurations.find(customerId, id, { refresh: true });
    if (!found) throw generalErrors.not_found(`There is no player configuration ${id}.`);
    const { policy } = await this.policies.compile(found.value);
    const address = parseAddress(ip);
    const explanation = explainDelivery(policy, {
      address,
      referer: described.referer ?? null,
      host: described.host ?? new URL(this.config.publicUrl).host,
      userOfCustomer: described.userLoggedIn ?? false,
      tokenClientId: described.oauthClientId ?? null,
      sessionClientId: null,
      extAuthAccessKey: described.extAuthAccessKey ?? null,
      formatId: described.formatId ?? undefined,
      download: described.download ?? undefined,
    });
    const isThrottled = limitsOf(policy, { address }).bandwidth !== null;
    const redirectedTo = this.cdn.isConfigured && !described.download ? 'cdn' : 'storage';
    return { ...explanation, sentBy: !explanation.allowed ? null : isThrottled ? 'service' : redirectedTo };
  }
}

interface ExplainedDelivery extends DeliveryExplanation {
  readonly sentBy: 'cdn' | 'storage' | 'service' | null;
}
