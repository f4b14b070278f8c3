import { IsIn, IsString, MaxLength, ValidateBy } from 'class-validator';
import { CastInteger, RefusesUnknownParameters } from '../../../shared/http/index.js';
import { IdOf, LinkPageDto, PageDto } from '../../../shared/resources/index.js';
import { IsId, IsLinkTime, toEnd, toMoment, toUnixSeconds, UnlessAbsent, UnlessNull } from '../../../shared/validation/index.js';
import type { EmbedLink } from './embed-link.entity.js';
import type { EmbedLinkPage } from './embed-link-pages.port.js';

const MAX_DESCRIPTION_CHARACTERS = 10_000;
const MAX_ORIGIN_CHARACTERS = 255;

/** A media container, and which page of its links to list. */
@RefusesUnknownParameters()
export class FindEmbedLinksDto extends PageDto {
  /** The media container. @example 7 */
  @CastInteger()
  @IsId()
  id: number;
}

/** Which embed links of the customer to list. */
@RefusesUnknownParameters()
export class ListEmbedLinksDto extends LinkPageDto {
  /** Only links of this media container. @example 7 */
  @UnlessAbsent()
  @CastInteger()
  @IsId()
  mediaContainerId?: number;

  /** Only links with this player configuration. @example 3 */
  @UnlessAbsent()
  @CastInteger()
  @IsId()
  playerConfigurationId?: number;
}

/** The id of an embed link. The id of another customer's link counts as unknown. */
export class EmbedLinkIdDto extends IdOf({ example: 1, description: 'The embed link.' }) {}

/** A new embed link. */
export class NewEmbedLinkDto {
  /** A player configuration for the type of the container; absent: the default one of the type, which is made when it is first needed. @example 3 */
  @UnlessNull()
  @IsId()
  playerConfigurationId?: number | null;

  /** @example "For the press page" */
  @UnlessNull()
  @MaxLength(MAX_DESCRIPTION_CHARACTERS)
  @IsString()
  description?: string | null;

  /** Reason for the link, as free text. @example "newsletter" */
  @UnlessNull()
  @MaxLength(MAX_ORIGIN_CHARACTERS)
  @IsString()
  origin?: string | null;

  /** When the link starts to work: Unix seconds, or a date or time in ISO 8601; a date is its beginning in UTC. @example 1735689600 */
  @UnlessNull()
  @IsLinkTime()
  start?: number | string | null;

  /** When the link stops working: Unix seconds, or a date or time in ISO 8601; a date is its end in UTC; later than start. @example 1767225600 */
  @UnlessNull()
  @ValidateBy({
    name: 'isAfterStart',
    validator: {
      validate: (value, args) => {
        const { start } = (args?.object ?? {}) as NewEmbedLinkDto;
        const [from, to] = [toMoment(start), toEnd(value as string | number)];
        return !(from instanceof Date && to instanceof Date && from >= to);
      },
      defaultMessage: () => 'end must be later than start',
    },
  })
  @IsLinkTime()
  end?: number | string | null;

  /** 0: active, 10: hidden; default: 0. @example 0 */
  @UnlessNull()
  @IsIn([0, 10])
  flag?: 0 | 10 | null;
}

/** A new embed link of a media container. */
export class CreateEmbedLinkDto extends NewEmbedLinkDto {
  /** The media container. @example 7 */
  @CastInteger()
  @IsId()
  id: number;
}

/** A media container as viewers see it, by the rules of a player configuration. */
export class EmbedLinkResponse {
  /** @example 9 */
  id: number;
  /** The part of the viewers' URL `/v5/deliverEmbed/{link}`. @example "b1c5a2f0-6a0e-4b57-9c1e-2f1f6f1f0c11" */
  link: string;
  /** The player page. @example "https://media.example.com/v5/deliverEmbed/b1c5a2f0-6a0e-4b57-9c1e-2f1f6f1f0c11" */
  url: string;
  /** HTML that shows the player in another page, as in oEmbed. @example "<iframe src=\"https://media.example.com/v5/deliverEmbed/…\" …></iframe>" */
  snippet: string;
  /** @example 1 */
  customerId: number;
  /** @example 7 */
  mediaContainerId: number;
  /** Null: the configuration was destroyed, and the link deleted with it. @example 3 */
  playerConfigurationId: number | null;
  /** @example "video" */
  type: EmbedLink['type'];
  /** @example "" */
  description: string;
  /** 0: active, 1: deleted, 10: hidden. @example 0 */
  flag: EmbedLink['flag'];
  /** Reason that the creator stated; `autoGenerate`: the service created the link. @example null */
  origin: string | null;
  /** When the link starts to work (Unix seconds); null: at once. @example null */
  start: number | null;
  /** When the link stops working (Unix seconds); null: never. @example null */
  end: number | null;
  /** When it was deleted (ISO 8601); null: it was not. */
  endedAt: Date | null;
  /** The user who deleted it. @example null */
  endedBy: number | null;
  /** @example 12 */
  creatorId: number;
  /**
   * How often the player page was opened, or a file, picture or playlist was requested other than by it. Counted with a delay of some seconds.
   * @example 42
   */
  uses: number;
  /** The hour of the last use (ISO 8601); null: not used yet. */
  lastUsedAt: Date | null;
  /** ISO 8601. */
  createdAt: Date;
}

/** The embed link of the container and the configuration. */
export class CreatedEmbedLinkResponse extends EmbedLinkResponse {
  /** False: the link existed before, and is returned unchanged. @example true */
  created: boolean;
}

export const toEmbedLinkResponse = (link: EmbedLink, { url, snippet }: EmbedLinkPage): EmbedLinkResponse => ({
  id: link.id,
  link: link.link,
  url,
  snippet,
  customerId: link.customerId,
  mediaContainerId: link.mediaContainerId,
  playerConfigurationId: link.playerConfigurationId,
  type: link.type,
  description: link.description,
  flag: link.flag,
  origin: link.origin,
  start: toUnixSeconds(link.start),
  end: toUnixSeconds(link.end),
  endedAt: link.endedAt,
  endedBy: link.endedBy,
  creatorId: link.creatorId,
  uses: link.uses,
  lastUsedAt: link.lastUsedAt,
  createdAt: link.createdAt,
});
