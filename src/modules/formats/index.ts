export { Format } from './format.entity.js';
export { type FormatDestructionListener, FormatDestructionListeners } from './format-destruction-listener.js';
export { FormatReader, type VisibleFormats } from './format-reader.js';
export * from './format-settings.js';
export { FormatsModule } from './formats.module.js';
export { OriginalFormats } from './original-formats.js';
