import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts/index.js';
import { ActivityModule } from '../activity/index.js';
import { MediaModule } from '../media/index.js';
import { BlueprintSeederService } from './blueprints/blueprint-seeder.service.js';
import { FormatAvailabilityService } from './format-availability.service.js';
import { FormatDestructionHooks, FormatDestructionService } from './format-destruction.service.js';
import { FormatReaderService } from './format-reader.service.js';
import { FormatValidationService } from './format-validation.service.js';
import { FormatsController } from './formats.controller.js';
import { FormatsRepository } from './formats.repository.js';
import { FormatsService } from './formats.service.js';
import { MetadataPreviewService } from './metadata/metadata-preview.service.js';

/** Provides formats, the definitions of renditions. */
@Module({
  imports: [AccountsModule, ActivityModule, MediaModule],
  controllers: [FormatsController],
  providers: [
    BlueprintSeederService,
    FormatAvailabilityService,
    FormatDestructionHooks,
    FormatDestructionService,
    FormatReaderService,
    FormatValidationService,
    FormatsRepository,
    FormatsService,
    MetadataPreviewService,
  ],
  exports: [FormatAvailabilityService, FormatDestructionHooks, FormatReaderService],
})
export class FormatsModule {}
