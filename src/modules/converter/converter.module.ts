import { Module } from '@nestjs/common';
import { HealthModule } from '../../shared/health/index.js';
import { AccountsModule } from '../accounts/index.js';
import { ActivityModule } from '../activity/index.js';
import { FormatsModule } from '../formats/index.js';
import { MediaModule } from '../media/index.js';
import { JobExecution } from './execution/job-execution.js';
import { ObjectDownload } from './execution/object-download.js';
import { PictureMetadata } from './execution/picture-metadata.js';
import { MediaProber } from './execution/probe/media-prober.js';
import { RecipeReader } from './execution/recipe-reader.js';
import { RenditionMaker } from './execution/rendition-maker.js';
import { ResultInspector } from './execution/result-inspector.js';
import { SourceInspector } from './execution/source/source-inspector.js';
import { WorkFolders } from './execution/work-folders.js';
import { JobLeases } from './jobs/job-leases.js';
import { JobReleases } from './jobs/job-releases.js';
import { JobSettlement } from './jobs/job-settlement.js';
import { OrphanedJobs } from './jobs/orphaned-jobs.js';
import { RenditionSweeps } from './jobs/rendition-sweeps.js';
import { TranscodingCompletion } from './jobs/transcoding-completion.js';
import { TranscodingQueue } from './jobs/transcoding-queue.js';
import { TranscodingWorker } from './jobs/transcoding-worker.js';
import { UnavailableJobs } from './jobs/unavailable-jobs.js';
import { AutomaticTranscodings } from './requests/automatic-transcodings.js';
import { PreviewProgress } from './requests/preview-progress.js';
import { TranscodingActivities } from './requests/transcoding-activities.js';
import { TranscodingRequestsController } from './requests/transcoding-requests.controller.js';
import { TranscodingRequests } from './requests/transcoding-requests.js';
import { ConverterHealth } from './tools/converter-health.js';
import { ConverterWorkers } from './tools/converter-workers.js';
import { Isolation } from './tools/isolation.js';
import { ToolRunner } from './tools/tool-runner.js';
import { Toolbox } from './tools/toolbox.js';

/** Formats that run: originals become renditions. */
@Module({
  imports: [AccountsModule, ActivityModule, FormatsModule, HealthModule, MediaModule],
  controllers: [TranscodingRequestsController],
  providers: [
    AutomaticTranscodings,
    ConverterHealth,
    ConverterWorkers,
    Isolation,
    JobExecution,
    JobLeases,
    JobReleases,
    JobSettlement,
    MediaProber,
    ObjectDownload,
    OrphanedJobs,
    PictureMetadata,
    PreviewProgress,
    RecipeReader,
    RenditionMaker,
    RenditionSweeps,
    ResultInspector,
    SourceInspector,
    Toolbox,
    ToolRunner,
    TranscodingActivities,
    TranscodingCompletion,
    TranscodingQueue,
    TranscodingRequests,
    TranscodingWorker,
    UnavailableJobs,
    WorkFolders,
  ],
  exports: [PreviewProgress],
})
export class ConverterModule {}
