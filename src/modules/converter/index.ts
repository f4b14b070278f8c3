export { ConverterModule } from './converter.module.js';
export { UnreadablePicture } from './pictures/picture-programs.service.js';
export { extensionOf, PictureResizingService, type WantedPicture } from './pictures/picture-resizing.service.js';
export { ConverterWorker } from './tools/converter-worker.entity.js';
export { ToolboxService } from './tools/toolbox.service.js';
export { type FormatProgress, PreviewProgressService } from './transcodings/preview-progress.service.js';
export { Transcoding } from './transcodings/transcoding.entity.js';
