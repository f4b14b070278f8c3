export { ConverterModule } from './converter.module.js';
export { TranscodingCompletion, type TranscodingEnd } from './transcoding-completion.js';
