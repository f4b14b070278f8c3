import { Module } from '@nestjs/common';
import { FormatsModule } from '../formats/index.js';
import { MediaModule } from '../media/index.js';

/** Player configurations and the embed links that use them. */
@Module({ imports: [FormatsModule, MediaModule] })
export class PlayerConfigurationsModule {}
