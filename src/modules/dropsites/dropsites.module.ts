import { Module } from '@nestjs/common';
import { AccessModule } from '../access/index.js';
import { AccountsModule } from '../accounts/index.js';
import { ConverterModule } from '../converter/index.js';
import { UploadsModule } from '../uploads/index.js';
import { DropsiteEntrance } from './dropsite-entrance.js';
import { DropsiteReader } from './dropsite-reader.js';
import { DropsitesRepository } from './dropsites.repository.js';
import { DropsiteDeclarations } from './management/dropsite-declarations.js';
import { DropsiteWriter } from './management/dropsite-writer.js';
import { DropsitesController } from './management/dropsites.controller.js';
import { DropsitesService } from './management/dropsites.service.js';
import { UploadPageController } from './page/upload-page.controller.js';
import { DropsiteCodesRepository } from './sessions/dropsite-codes.repository.js';
import { DropsiteSessionsController } from './sessions/dropsite-sessions.controller.js';
import { DropsiteSessions } from './sessions/dropsite-sessions.service.js';
import { DropsiteCharges } from './uploads/dropsite-charges.js';
import { DropsiteCompletion } from './uploads/dropsite-completion.js';
import { DropsiteUploadsController } from './uploads/dropsite-uploads.controller.js';
import { DropsiteUploads } from './uploads/dropsite-uploads.service.js';
import { DropsiteUsageRepository } from './uploads/dropsite-usage.repository.js';
import { UploadNotices } from './uploads/upload-notices.js';
import { UploadProgressController } from './uploads/upload-progress.controller.js';
import { UploadProgress } from './uploads/upload-progress.service.js';

/** Links under which people without an account upload to a user. */
@Module({
  imports: [AccessModule, AccountsModule, ConverterModule, UploadsModule],
  controllers: [DropsitesController, DropsiteSessionsController, DropsiteUploadsController, UploadPageController, UploadProgressController],
  providers: [
    DropsiteCharges,
    DropsiteCodesRepository,
    DropsiteCompletion,
    DropsiteDeclarations,
    DropsiteEntrance,
    DropsiteReader,
    DropsiteSessions,
    DropsitesRepository,
    DropsitesService,
    DropsiteUploads,
    DropsiteUsageRepository,
    DropsiteWriter,
    UploadNotices,
    UploadProgress,
  ],
  exports: [DropsiteDeclarations, DropsiteReader],
})
export class DropsitesModule {}
