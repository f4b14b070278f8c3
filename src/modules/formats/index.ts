export { offeredBy } from './converters/alternatives.js';
export { buildInvocation, type InvocationRequest } from './converters/build-invocation.js';
export { cliProgram } from './converters/cli.converter.js';
export {
  AUDIO_WATERMARK,
  type CliTool,
  displaySize,
  type Invocation,
  MissingProgram,
  type ProgramName,
  Refusal,
  SOURCE,
  type SoundFile,
  type SourceColor,
  type SourceFacts,
  type SourceSound,
  type Step,
  type StreamTimes,
  WATERMARK,
} from './converters/converter.js';
export { type Converter, getConverter } from './converters/converters.js';
export { isReadablePicture, sharpTypeOf } from './converters/decode-image.js';
export { type ExplainedStep, explainSteps } from './converters/explain-steps.js';
export type { Drawing } from './converters/ffmpeg/drawings.js';
export { buildSubtitles } from './converters/ffmpeg/ffmpeg.converter.js';
export { buildDescription, buildPacketProbe, buildProbe, type Measured } from './converters/ffmpeg/ffprobe.converter.js';
export { IMAGE_FACTS, PacketTimes, type ProbedMedia, parseProbe, pictureRateOf } from './converters/ffmpeg/parse-probe.js';
export { isSoundForStreaming, isStreaming } from './converters/ffmpeg/streaming.js';
export type { ExplainedParameter, MergedParameters } from './converters/merge-parameters.js';
export { isDocument, isTakenDocument, isTextDocument, isTextTable } from './converters/office.converter.js';
export { readPageCount, readPageSize } from './converters/pdf-pages.js';
export { largestResult, type PictureFormat, planPictureExamination, planResizedPicture } from './converters/resize-picture.js';
export { buildSharpProbe, MAX_PIXELS } from './converters/sharp-job.js';
export { lengthOf, sourceFactsOf, streamFacts, UNKNOWN_FACTS } from './converters/source-facts.js';
export { FORMAT_DESTROYED, Format, isForDelivery, isUsedInPlayer, mediaTypesOf } from './format.entity.js';
export {
  describeMissing,
  FormatAvailabilityService,
  type ImageEngine,
  type MissingPrograms,
  ProgramsOfWorkers,
} from './format-availability.service.js';
export { commandOf, drawingOf, isLongWork, programsOfFormat, requirementsOfFormat, sharpObstaclesOf } from './format-command.js';
export { FormatDestructionHooks } from './format-destruction.service.js';
export { FormatIdDto } from './format-inputs.dto.js';
export { FormatReaderService, type VisibleFormats } from './format-reader.service.js';
export type { FormatSettings } from './format-settings.dto.js';
export type { Parameters, ParameterValue } from './format-settings.js';
export { FormatsModule } from './formats.module.js';
export { buildExiftoolStep } from './metadata/build-exiftool-step.js';
export { type BuiltMetadata, buildMetadataTags } from './metadata/build-metadata-tags.js';
export { buildXmp } from './metadata/build-xmp.js';
export { buildProfileProbe, readColorProfile } from './metadata/color-profile.js';
