import { Module } from '@nestjs/common';
import { AccessModule } from '../access/index.js';
import { AccountsModule } from '../accounts/index.js';
import { FormatsModule } from '../formats/index.js';
import { MediaModule } from '../media/index.js';
import { PlayerConfigurationsModule } from '../player-configurations/index.js';
import { ExternalTokens } from './ext-auth/external-tokens.js';
import { DeliveryGate } from './gate/delivery-gate.js';
import { DeliveryPolicies } from './gate/delivery-policies.js';
import { RulesInForce } from './gate/rules-in-force.js';
import { Viewers } from './gate/viewers.js';

/** What viewers get: embed links, files, download pages. */
@Module({
  imports: [AccessModule, AccountsModule, FormatsModule, MediaModule, PlayerConfigurationsModule],
  providers: [DeliveryGate, DeliveryPolicies, ExternalTokens, RulesInForce, Viewers],
})
export class DeliveryModule {}
