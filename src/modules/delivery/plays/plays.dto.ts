import { IntersectionType } from '@nestjs/swagger';
import { IsIn, IsInt, IsNumber, IsString, Matches, Max, MaxLength, Min } from 'class-validator';
import { UnlessAbsent } from '../../../shared/validation/index.js';
import { DeliveredLinkDto } from '../delivery.dto.js';

export const PLAY_EVENTS = ['begin', 'position', 'pause', 'end', 'quality', 'stall'] as const;
export type PlayEvent = (typeof PLAY_EVENTS)[number];

/** A day, which no play of a page exceeds. */
const MAX_SECONDS = 86_400;
/** Longer than a token with the longest host name. */
const MAX_TOKEN_CHARACTERS = 1_000;
const MAX_HEIGHT = 16_384;

/** What a player page reports of its play. Each report contains all of the play so far, so that a lost or repeated one changes nothing. */
export class PlayReportFieldsDto {
  /** The token that the player page contains. @example "eyJpZCI6…" */
  @MaxLength(MAX_TOKEN_CHARACTERS)
  @IsString()
  play: string;

  /** What happened; `position` is sent every 20 seconds. @example "position" */
  @IsIn(PLAY_EVENTS)
  event: PlayEvent;

  /** The position in the film, in seconds. @example 42.5 */
  @Max(MAX_SECONDS)
  @Min(0)
  @IsNumber()
  position: number;

  /** Seconds during which the film has played. @example 40 */
  @Max(MAX_SECONDS)
  @Min(0)
  @IsNumber()
  watched: number;

  /** The hundredths of the film whose middle was played, as 25 hexadecimal digits: the lowest bit is the first hundredth. @example "0000000000000000000000fff" */
  @Matches(/^[\da-f]{25}$/, { message: 'seen must be 25 hexadecimal digits' })
  @IsString()
  seen: string;

  /** The height of the picture in pixels. @example 720 */
  @UnlessAbsent()
  @Max(MAX_HEIGHT)
  @Min(0)
  @IsInt()
  height?: number;
}

/** A report of a player page that shows this link. */
export class PlayReportDto extends IntersectionType(DeliveredLinkDto, PlayReportFieldsDto) {}
