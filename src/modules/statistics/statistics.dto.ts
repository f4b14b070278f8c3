import { ApiProperty } from '@nestjs/swagger';
import { IsIn, IsInt, IsString, Max, MaxLength, Min } from 'class-validator';
import { CastInteger, RefusesUnknownParameters } from '../../shared/http/index.js';
import { IdOf } from '../../shared/resources/index.js';
import { IsId, IsMoment, UnlessAbsent } from '../../shared/validation/index.js';
import { DEVICES, type Device } from './device.js';
import { STATISTICS_KEYS, type StatisticsKey } from './statistics.repository.js';

/** Identifies the media container of a film; that of another customer counts as unknown. */
export class WatchedContainerDto extends IdOf({ example: 1 }) {}

/** Which figures to sum, and by what. */
@RefusesUnknownParameters()
export class StatisticsDto {
  /** The first day in UTC (a moment counts as its day); default: 29 days before `to`. @example "2026-11-01" */
  @UnlessAbsent()
  @IsMoment()
  from?: string;

  /** The last day, which is included; default: today. At most 366 days. @example "2026-11-30" */
  @UnlessAbsent()
  @IsMoment()
  to?: string;

  /** One row for each value of this; default: day. @example "day" */
  @UnlessAbsent()
  @IsIn(STATISTICS_KEYS)
  by?: StatisticsKey;

  /** Only this day. @example "2026-11-28" */
  @UnlessAbsent()
  @IsMoment()
  day?: string;

  /** Only this media container, also a deleted one. @example 7 */
  @UnlessAbsent()
  @CastInteger()
  @IsId()
  mediaContainer?: number;

  /** Only the embed link with this id. @example 9 */
  @UnlessAbsent()
  @CastInteger()
  @IsId()
  embedLink?: number;

  /** Only this player configuration. @example 3 */
  @UnlessAbsent()
  @CastInteger()
  @IsId()
  playerConfiguration?: number;

  /** Only pages of this host. @example "www.example.org" */
  @UnlessAbsent()
  @MaxLength(253)
  @IsString()
  host?: string;

  /** Only this class of device. @example "phone" */
  @UnlessAbsent()
  @IsIn(DEVICES)
  device?: Device;

  /** Only refusals by this delivery rule. @example "matchReferer" */
  @UnlessAbsent()
  @MaxLength(100)
  @IsString()
  rule?: string;

  /** Maximum number of rows; default: 100. @example 100 */
  @UnlessAbsent()
  @CastInteger()
  @Max(1_000)
  @Min(1)
  @IsInt()
  limit?: number;

  /** Position of the next page, from the `Link` header of the previous page. @example "WyJkYXkiLCIyMDI2LTExLTI3Il0" */
  @UnlessAbsent()
  @MaxLength(1_000)
  @IsString()
  cursor?: string;
}

/** The figures of one key. */
export class StatisticsRowResponse {
  /**
   * The day (YYYY-MM-DD, UTC), the id, the host, the class of device or the name of the rule. Null: without one, such as a player that was opened by
   * itself, a download link, or what no rule refused. @example "2026-11-28"
   */
  @ApiProperty({ oneOf: [{ type: 'string' }, { type: 'integer' }], nullable: true })
  key: string | number | null;
  /** Plays that began. @example 120 */
  plays: number;
  /** Seconds that these plays watched, also on later days. @example 8640 */
  watchedSeconds: number;
  /** How many of these plays reached the end. @example 48 */
  finished: number;
  /** Files that were downloaded. @example 12 */
  downloads: number;
  /** Pictures that were shown. @example 300 */
  pictures: number;
  /** Requests that a delivery rule refused. @example 4 */
  refused: number;
  /** Bytes of files that were requested. @example 734003200 */
  bytes: number;
}
