export { ConverterModule } from './converter.module.js';
export { TranscodingJob } from './jobs/transcoding-job.entity.js';
export { type FormatProgress, PreviewProgress } from './requests/preview-progress.js';
export { ConverterWorker } from './tools/converter-worker.entity.js';
export { Toolbox } from './tools/toolbox.js';
