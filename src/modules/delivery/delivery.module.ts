import { Module } from '@nestjs/common';
import { FormatsModule } from '../formats/index.js';
import { MediaModule } from '../media/index.js';
import { PlayerConfigurationsModule } from '../player-configurations/index.js';

/** What viewers get: embed links, files, download pages. */
@Module({ imports: [FormatsModule, MediaModule, PlayerConfigurationsModule] })
export class DeliveryModule {}
