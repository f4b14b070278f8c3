import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts/index.js';
import { ActivityModule } from '../activity/index.js';
import { MediaModule } from '../media/index.js';
import { BlueprintSeeder } from './blueprint-seeder.js';
import { FormatAvailability } from './format-availability.js';
import { FormatDestruction } from './format-destruction.js';
import { FormatDestructionListeners } from './format-destruction-listener.js';
import { FormatReader } from './format-reader.js';
import { FormatReferences } from './format-references.js';
import { FormatsController } from './formats.controller.js';
import { FormatsRepository } from './formats.repository.js';
import { FormatsService } from './formats.service.js';
import { MetadataPreview } from './metadata-preview.js';
import { OriginalFormats } from './original-formats.js';

/** Formats: how media is made of originals. */
@Module({
  imports: [AccountsModule, ActivityModule, MediaModule],
  controllers: [FormatsController],
  providers: [
    BlueprintSeeder,
    FormatAvailability,
    FormatDestruction,
    FormatDestructionListeners,
    FormatReader,
    FormatReferences,
    FormatsRepository,
    FormatsService,
    MetadataPreview,
    OriginalFormats,
  ],
  exports: [FormatAvailability, FormatDestructionListeners, FormatReader, OriginalFormats],
})
export class FormatsModule {}
