import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts/index.js';
import { ActivityModule } from '../activity/index.js';
import { FormatsModule, ProgramsOfWorkers } from '../formats/index.js';
import { LibraryModule } from '../library/index.js';
import { MediaModule } from '../media/index.js';
import { BulkChangesController } from './bulk-changes/bulk-changes.controller.js';
import { BulkChangesService } from './bulk-changes/bulk-changes.service.js';
import { MediaProberService } from './execution/media-prober.service.js';
import { ObjectDownloadService } from './execution/object-download.service.js';
import { RecipeReaderService } from './execution/recipe-reader.service.js';
import { RenditionMakerService } from './execution/rendition-maker.service.js';
import { ResultInspectorService } from './execution/result-inspector.service.js';
import { SourceInspectorService } from './execution/source-inspector.service.js';
import { TranscodingExecutionService } from './execution/transcoding-execution.service.js';
import { WorkFoldersService } from './execution/work-folders.service.js';
import { FormatExplanationsController } from './explanations/format-explanations.controller.js';
import { FormatExplanationsService } from './explanations/format-explanations.service.js';
import { EmbeddedWordsJob } from './inspection/embedded-words.job.js';
import { FileExcerptService } from './inspection/file-excerpt.service.js';
import { InspectionJob } from './inspection/inspection.job.js';
import { InspectionsService } from './inspection/inspections.service.js';
import { PictureProgramsService } from './pictures/picture-programs.service.js';
import { PictureResizingService } from './pictures/picture-resizing.service.js';
import { ConverterHealthService } from './tools/converter-health.service.js';
import { ConverterWorkersService } from './tools/converter-workers.service.js';
import { IsolationService } from './tools/isolation.service.js';
import { ToolRunnerService } from './tools/tool-runner.service.js';
import { ToolboxService } from './tools/toolbox.service.js';
import { WorkLimitsService } from './tools/work-limits.service.js';
import { AutomaticTranscodingsListener } from './transcodings/automatic-transcodings.listener.js';
import { OrphanedTranscodingsJob } from './transcodings/orphaned-transcodings.job.js';
import { PreviewProgressService } from './transcodings/preview-progress.service.js';
import { RenditionCleanupJob } from './transcodings/rendition-cleanup.job.js';
import { TranscodingWorker } from './transcodings/transcoding.worker.js';
import { TranscodingActivitiesAdapter } from './transcodings/transcoding-activities.adapter.js';
import { TranscodingCompletionService } from './transcodings/transcoding-completion.service.js';
import { TranscodingQueueService } from './transcodings/transcoding-queue.service.js';
import { TranscodingRequestsController } from './transcodings/transcoding-requests.controller.js';
import { TranscodingRequestsService } from './transcodings/transcoding-requests.service.js';
import { TranscodingsRepository } from './transcodings/transcodings.repository.js';
import { UnavailableTranscodingsJob } from './transcodings/unavailable-transcodings.job.js';
import { WaitingTranscodingsRepository } from './transcodings/waiting-transcodings.repository.js';

/** Transcoding: makes renditions of originals, as formats define them. */
@Module({
  imports: [AccountsModule, ActivityModule, FormatsModule, LibraryModule, MediaModule],
  controllers: [BulkChangesController, FormatExplanationsController, TranscodingRequestsController],
  providers: [
    AutomaticTranscodingsListener,
    BulkChangesService,
    ConverterHealthService,
    ConverterWorkersService,
    EmbeddedWordsJob,
    FileExcerptService,
    FormatExplanationsService,
    InspectionJob,
    InspectionsService,
    IsolationService,
    MediaProberService,
    ObjectDownloadService,
    OrphanedTranscodingsJob,
    PictureProgramsService,
    PictureResizingService,
    PreviewProgressService,
    RecipeReaderService,
    RenditionCleanupJob,
    RenditionMakerService,
    ResultInspectorService,
    SourceInspectorService,
    ToolboxService,
    ToolRunnerService,
    TranscodingActivitiesAdapter,
    TranscodingCompletionService,
    TranscodingExecutionService,
    TranscodingQueueService,
    TranscodingRequestsService,
    TranscodingsRepository,
    TranscodingWorker,
    UnavailableTranscodingsJob,
    WaitingTranscodingsRepository,
    WorkFoldersService,
    WorkLimitsService,
    { provide: ProgramsOfWorkers, useExisting: ConverterWorkersService },
  ],
  exports: [PictureResizingService, PreviewProgressService, ProgramsOfWorkers],
})
export class ConverterModule {}
