import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../shared/auth/index.js';
import { Config } from '../../../shared/config/index.js';
import { generalErrors } from '../../../shared/errors/index.js';
import { PlayerConfigurationReader } from '../../player-configurations/index.js';
import { type DeliveryExplanation, explainDelivery } from '../decision/explain-delivery.js';
import { parseAddress } from '../decision/parse-address.js';
import { DeliveryPolicies } from '../gate/delivery-policies.js';

/** The description of a viewer. */
export interface DescribedViewer {
  readonly ip: string;
  readonly referer?: string;
  readonly host?: string;
  readonly userLoggedIn?: boolean;
  readonly oauthClientId?: string;
  readonly extAuthAccessKey?: string;
  readonly formatId?: number;
  readonly download?: boolean;
}

/** Why a viewer gets something or not: the decision of a delivery, about a viewer who need not exist. */
@Injectable()
export class DeliveryExplanations {
  private readonly ownHost: string;

  constructor(
    private readonly configurations: PlayerConfigurationReader,
    private readonly policies: DeliveryPolicies,
    config: Config,
  ) {
    this.ownHost = new URL(config.publicUrl).host;
  }

  /** By a configuration of the caller's customer as it is in the database now. Throws `not_found`. */
  async explain({ customerId }: Caller, { id, ip, ...described }: DescribedViewer & { readonly id: number }): Promise<DeliveryExplanation> {
    const found = await this.configurations.find(customerId, id, { refresh: true });
    if (!found) throw generalErrors.not_found(`There is no player configuration ${id}.`);
    const { policy } = await this.policies.of(found.value);
    return explainDelivery(policy, {
      address: parseAddress(ip),
      referer: described.referer ?? null,
      host: described.host ?? this.ownHost,
      userOfCustomer: described.userLoggedIn ?? false,
      tokenClientId: described.oauthClientId ?? null,
      sessionClientId: null,
      extAuthAccessKey: described.extAuthAccessKey ?? null,
      formatId: described.formatId ?? undefined,
      download: described.download ?? undefined,
    });
  }
}
