import { Module } from '@nestjs/common';
import { AccessModule } from '../access/index.js';
import { AccountsModule } from '../accounts/index.js';
import { ConverterModule } from '../converter/index.js';
import { DropsiteLinks } from '../library/index.js';
import { MediaModule } from '../media/index.js';
import { UploadListener, UploadsModule } from '../uploads/index.js';
import { DropsiteEntranceService } from './dropsite-entrance.service.js';
import { DropsitesController } from './dropsites.controller.js';
import { DropsitesRepository } from './dropsites.repository.js';
import { DropsitesService } from './dropsites.service.js';
import { UploadPageController } from './page/upload-page.controller.js';
import { DropsiteCodesRepository } from './sessions/dropsite-codes.repository.js';
import { DropsiteSessionsController } from './sessions/dropsite-sessions.controller.js';
import { DropsiteSessionsService } from './sessions/dropsite-sessions.service.js';
import { AnonymousUploadQuotaService } from './uploads/anonymous-upload-quota.service.js';
import { DropsiteUploadsController } from './uploads/dropsite-uploads.controller.js';
import { DropsiteUploadsListener } from './uploads/dropsite-uploads.listener.js';
import { DropsiteUploadsService } from './uploads/dropsite-uploads.service.js';
import { DropsiteUsageRepository } from './uploads/dropsite-usage.repository.js';
import { UploadProgressController } from './uploads/upload-progress.controller.js';
import { UploadProgressService } from './uploads/upload-progress.service.js';

/** Dropsites: links through which people without an account upload to a user. */
@Module({
  imports: [AccessModule, AccountsModule, ConverterModule, MediaModule, UploadsModule],
  controllers: [DropsitesController, DropsiteSessionsController, DropsiteUploadsController, UploadPageController, UploadProgressController],
  providers: [
    AnonymousUploadQuotaService,
    DropsiteCodesRepository,
    DropsiteEntranceService,
    DropsiteSessionsService,
    DropsitesRepository,
    DropsitesService,
    DropsiteUploadsService,
    DropsiteUsageRepository,
    UploadProgressService,
    { provide: DropsiteLinks, useExisting: DropsitesRepository },
    { provide: UploadListener, useClass: DropsiteUploadsListener },
  ],
  exports: [DropsiteLinks, DropsitesService, UploadListener],
})
export class DropsitesModule {}
