import { ApiProperty } from '@nestjs/swagger';
import { CastInteger } from '../../../shared/http/index.js';
import { IsId, UnlessAbsent } from '../../../shared/validation/index.js';
import {
  commandOf,
  type ExplainedParameter,
  FormatIdDto,
  type ImageEngine,
  type Parameters,
  type ParameterValue,
  programsOfFormat,
  sharpObstaclesOf,
} from '../../formats/index.js';
import type { ExplainedFormat, ExplainedMedia } from './format-explanations.service.js';

/** The format, and the original of which it would be made. */
export class ExplainFormatDto extends FormatIdDto {
  /** The media item of an original. @example 1 */
  @UnlessAbsent()
  @CastInteger()
  @IsId()
  mediaId?: number;
}

/** Whether a parameter is used, and why. */
export class ExplainedParameterResponse {
  /** @example "crf" */
  command: string;
  /** @example 21 */
  @ApiProperty({ oneOf: [{ type: 'string' }, { type: 'number' }, { type: 'boolean' }] })
  value: ParameterValue;
  /** @example "custom" */
  source: 'blueprint' | 'custom';
  /** Whether it is in the final command. @example true */
  used: boolean;
  /** @example "allowed by the blueprint" */
  reason: string;
}

/** A filter of ffmpeg, or a member of a job of sharp. */
export class ExplainedPartResponse {
  /** @example "bwdif=mode=send_frame:parity=tff:deint=all" */
  part: string;
  /** @example "interlaced source, top field first" */
  reason: string;
}

/** An option with its values, or a file. */
export class ExplainedArgumentResponse {
  /** As they are passed to the program, without a shell; empty: they follow from a file that an earlier step writes. @example ["-crf", "23"] */
  arguments: string[];
  /** @example "parameter crf: the blueprint's default" */
  reason: string;
  /** What the last argument consists of; empty: it has no parts. */
  parts: ExplainedPartResponse[];
}

/** A run of a program. */
export class ExplainedStepResponse {
  /** `sharp` or `convert` (ImageMagick) for pictures; `cli:<name>` for a tool of the operator, whose arguments are not shown. @example "ffmpeg" */
  program: string;
  /** @example "ffmpeg makes films, sound, and pictures of both" */
  reason: string;
  /** How often it runs, each time for another part of the original; the first run is shown. @example 1 */
  times: number;
  /** In their order. */
  arguments: ExplainedArgumentResponse[];
}

/** How a format is made of an original. */
export class ExplainedMediaResponse {
  /** @example 12 */
  mediaId: number;
  /**
   * `made`: by `steps`; `unchanged`: it is the original or a copy of it; `skipped`: this original does not need it; `refused`: it cannot be made;
   * `waiting`: no worker has a program that this original needs; `unknown`: the original has not been measured. @example "made"
   */
  result: ExplainedMedia['result'];
  /** Why, or what the steps still depend on. @example null */
  reason: string | null;
  /** The runs of programs, one after the other; metadata is written into images afterwards (metadataPreview). */
  steps: ExplainedStepResponse[];
}

/** The source of each parameter of a format, or why it is ignored. */
export class ExplainedFormatResponse {
  /** @example 3 */
  formatId: number;
  /** @example 5 */
  blueprintId: number | null;
  /** The final command. */
  command: Parameters;
  /** The programs that a worker needs; `cli:<name>` is a tool of the operator. @example ["ffmpeg", "ffprobe"] */
  programs: string[];
  /**
   * What makes the images of this format: sharp, or `imagemagick` for what sharp does not have (`sharpObstacles`), which it draws on the image of
   * sharp; null: no running worker can, or it is not an image format. @example "sharp"
   */
  engine: ImageEngine | null;
  /** The parts of the format that sharp does not have, so that it needs ImageMagick. @example ["settings.annotation"] */
  sharpObstacles: string[];
  parameters: ExplainedParameterResponse[];
  /** Only with `mediaId`. */
  media?: ExplainedMediaResponse;
}

/** Converts a format to the response that explains its parameters. */
export function toExplainedFormatResponse({ format, visible, engine, media }: ExplainedFormat): ExplainedFormatResponse {
  const { id: formatId, blueprintId } = format;
  const { command, parameters } = commandOf(format, visible.byId.get(blueprintId ?? 0) ?? null);
  const programs = [...programsOfFormat(format, visible)];
  const sharpObstacles = [...(sharpObstaclesOf(format, visible) ?? [])];
  const explained = { formatId, blueprintId, command, programs, engine, sharpObstacles, parameters: parameters.map(toParameter) };
  return media === null ? explained : { ...explained, media: toExplainedMedia(media) };
}

const toParameter = ({ command, value, source, used, reason }: ExplainedParameter): ExplainedParameterResponse => ({
  ...{ command, value, source, used, reason },
});

const toExplainedMedia = ({ mediaId, result, reason, steps }: ExplainedMedia): ExplainedMediaResponse => ({
  ...{ mediaId, result, reason },
  steps: steps.map((step) => ({
    ...{ program: step.program, reason: step.reason, times: step.times },
    arguments: step.arguments.map((group) => ({
      ...{ arguments: [...group.arguments], reason: group.reason },
      parts: group.parts.map((one) => ({ part: one.part, reason: one.reason })),
    })),
  })),
});
