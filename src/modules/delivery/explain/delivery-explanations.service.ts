import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../shared/auth/index.js';
import { generalErrors } from '../../../shared/errors.js';
import { CdnUrls } from '../../../shared/storage/index.js';
import { FormatReaderService } from '../../formats/index.js';
import { type BandwidthRule, PlayerConfigurationCacheService } from '../../player-configurations/index.js';
import { type DeliveryExplanation, explainDelivery, type RuleOutcome } from '../decision/decide-delivery.js';
import type { Viewer } from '../decision/rules/delivery-rule.js';
import { limitsOf } from '../files/files.service.js';
import { PlaybackLeasesRepository } from '../files/playback-leases.repository.js';
import { DeliveryPoliciesService } from '../gate/delivery-policies.service.js';
import type { ExplainDeliveryDto } from './explain-delivery.dto.js';

/** Explains why a described viewer is admitted or refused, using the same decision as a delivery. */
@Injectable()
export class DeliveryExplanationsService {
  constructor(
    private readonly configurations: PlayerConfigurationCacheService,
    private readonly formats: FormatReaderService,
    private readonly policies: DeliveryPoliciesService,
    private readonly leases: PlaybackLeasesRepository,
    private readonly cdn: CdnUrls,
  ) {}

  /** Explains the decision by the configuration that is in the database now. Throws `not_found`. */
  async explain({ customerId }: Caller, { id, ip }: ExplainDeliveryDto, viewer: Viewer): Promise<ExplainedDelivery> {
    const found = await this.configurations.find(customerId, id, { refresh: true });
    if (!found) throw generalErrors.not_found(`There is no player configuration ${id}.`);
    const policy = this.policies.compile(found.value, await this.formats.visibleTo(customerId));
    const decision = explainDelivery(policy, viewer);
    const { parallel, bandwidth } = limitsOf(policy, viewer);
    const explanation = parallel ? withPlays(decision, await this.explainPlays(id, parallel, ip)) : decision;
    const redirectedTo = this.cdn.isConfigured && !viewer.download ? 'cdn' : 'storage';
    return { ...explanation, sentBy: !explanation.allowed ? null : bandwidth ? 'service' : redirectedTo };
  }

  /** Explains the limit of concurrent plays, which is not a rule of the decision because its result changes from moment to moment. */
  private async explainPlays(playerConfigurationId: number, { cidr, limit }: BandwidthRule, viewer: string): Promise<PlaysOutcome> {
    const { plays, isAllowed } = await this.leases.count({ playerConfigurationId, cidr, viewer }, limit);
    const detail = `At most ${limit} viewers in ${cidr} may play at the same time; playing now: ${plays}.`;
    return { rule: 'bandwidthControl', result: isAllowed ? 'passed' : 'failed', detail };
  }
}

function withPlays({ rules, ...decision }: DeliveryExplanation, plays: PlaysOutcome): Omit<ExplainedDelivery, 'sentBy'> {
  const isRefused = decision.allowed && plays.result === 'failed';
  const refusal = { allowed: false, rule: plays.rule, code: 'parallel_limit_reached' };
  return { ...(isRefused ? refusal : decision), rules: [...rules, plays] };
}

interface PlaysOutcome extends Omit<RuleOutcome, 'rule'> {
  readonly rule: 'bandwidthControl';
}

interface ExplainedDelivery {
  readonly allowed: boolean;
  /** The rule that refuses the viewer, and the code of the refusal. */
  readonly rule: DeliveryExplanation['rule'] | PlaysOutcome['rule'];
  readonly code: string | null;
  readonly rules: readonly (RuleOutcome | PlaysOutcome)[];
  readonly sentBy: 'cdn' | 'storage' | 'service' | null;
}
