import { ApiProperty, ApiPropertyOptional, IntersectionType } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { Allow, IsInt, IsOptional, IsString, Max, MaxLength, Min, MinLength, ValidateBy } from 'class-validator';
import type { FieldProblem } from '../../shared/errors.js';
import { EVENT_METHODS, EVENT_NAMES, type EventMethod, type EventName } from '../../shared/events/index.js';
import { CastInteger } from '../../shared/http/index.js';
import { IdOf, PageDto } from '../../shared/resources/index.js';
import { FollowsRule, NestedObject, presupposes, ValidateDeeply, valueTypes } from '../../shared/validation/index.js';
import { instructionSchema } from './instructions/instruction-kinds.js';
import { subscriptionInputRule } from './wanted-subscription.js';

const BASE64 = /^[A-Za-z\d+/_ -]*={0,2}$/;
const MAX_FLAGS = 100;
const MISTYPED = {};

/** Decodes the list that was sent as base64 or base64url of its JSON (contract section 11). findFlagsProblems reports any other value. */
export function decodeFlags(value: unknown): unknown {
  if (value === undefined || value === null) return value;
  return typeof value === 'string' ? (decode(value) ?? value) : MISTYPED; // an unencoded list must not pass as a decoded one
}

function decode(text: string): number[] | null {
  if (!BASE64.test(text)) return null;
  try {
    const list: unknown = JSON.parse(Buffer.from(text.replaceAll(' ', '+'), 'base64').toString()); // a query parser decodes a plus as a blank
    return Array.isArray(list) && list.length <= MAX_FLAGS && list.every(valueTypes.integer.accepts) ? (list as number[]) : null;
  } catch {
    return null;
  }
}

/** The problems of a value that `decodeFlags` returned. */
function findFlagsProblems(value: unknown): FieldProblem[] {
  if (Array.isArray(value)) return [];
  if (typeof value !== 'string') return [{ path: '', code: 'type', message: 'flags must be a string' }];
  const message = `flags must be a JSON list of up to ${MAX_FLAGS} whole numbers in base64 or base64url`;
  return [{ path: '', code: 'is_flag_list', message }];
}

const IsNumberOrText = () =>
  ValidateBy(
    {
      name: 'isNumberOrText',
      validator: {
        validate: (value: unknown) => Number.isSafeInteger(value) || (typeof value === 'string' && value.length <= 1_000),
        defaultMessage: () => '$property must be a whole number or a text',
      },
    },
    presupposes('integerOrText'),
  );

/** What the conditions of a subscription have to contain. */
export class ConditionDto {
  /** Relative to `conditions`, in dot notation. @example "payload.mediaContainerId" */
  @MaxLength(200)
  @MinLength(1)
  @IsString()
  path: string;

  /** Matches numbers and texts, and lists that contain it. @example 7 */
  @ApiProperty({ oneOf: [{ type: 'integer' }, { type: 'string', maxLength: 1_000 }] })
  @IsNumberOrText()
  value: number | string;
}

/** Which subscriptions; without filters all of them. */
export class FindSubscriptionsDto extends PageDto {
  /** Only the subscription with this id; the list is empty if it is unknown. @example 3 */
  @IsOptional()
  @CastInteger()
  @IsInt()
  id?: number | null;

  /** Only subscriptions for this event. @example "event:s3success" */
  @IsOptional()
  @IsString()
  name?: string | null;

  /** Only subscriptions with these flags: a JSON list in base64 or base64url. @example "WzAsMl0=" */
  @ApiProperty({ type: 'string' })
  @IsOptional()
  @Transform(({ value }: { value: unknown }) => decodeFlags(value))
  @ValidateDeeply('isFlagList', findFlagsProblems)
  flags?: number[] | null;

  /** Only subscriptions whose conditions contain this value. */
  @IsOptional()
  @NestedObject(() => ConditionDto)
  condition?: ConditionDto | null;
}

/** Which subscription; the id of another customer's subscription counts as unknown. */
export class SubscriptionIdDto extends IdOf({ example: 1, description: 'Id of a subscription.' }) {}

/** One subscription and a page of its log. */
export class GetSubscriptionDto extends IntersectionType(SubscriptionIdDto, PageDto) {}

/** Which events of the name count; without conditions all of them. */
export class ConditionsDto {
  /** @example ["create"] */
  methods?: EventMethod[];
  /** Events that contain all of these values, at any depth; a list must contain these elements. @example { "mediaContainerId": 7 } */
  payload?: Record<string, unknown>;
}

/** A subscription. The rule checks the members and reports every problem at any depth. */
@FollowsRule(subscriptionInputRule)
export class SubscriptionFieldsDto {
  /** @example "event:s3success" */
  @ApiProperty({ enum: EVENT_NAMES })
  @Allow()
  name: EventName;

  /** 0: acts on every event; 2: until it has succeeded once. @example 0 */
  @ApiProperty({ enum: [0, 2] })
  @Allow()
  flag: number;

  /** Carried out in this order; the first that fails ends the run until its next attempt. */
  @ApiProperty({ type: 'array', items: instructionSchema() })
  @Allow()
  instructions: unknown[];

  @Allow()
  conditions?: ConditionsDto | null;

  /** @example "tells the shop" */
  @Allow()
  notes?: string | null;
}

/** The same, of one subscription. */
@FollowsRule(subscriptionInputRule)
export class ReplaceSubscriptionDto extends IntersectionType(SubscriptionIdDto, SubscriptionFieldsDto) {}

/** A hypothetical event. */
export class SuspectedEventDto {
  /** @example "event:s3success" */
  @ApiProperty({ enum: EVENT_NAMES })
  name: EventName;
  /** @example "create" */
  @ApiProperty({ enum: EVENT_METHODS })
  method: EventMethod;
  /** @example { "mediaContainerId": 7 } */
  payload?: Record<string, unknown>;
}

export class DryRunDto {
  @Allow()
  event: SuspectedEventDto;
}

/** Which attempt to repeat. */
export class ReplayFieldsDto {
  /** Id of an entry of the log. @example 27 */
  @CastInteger()
  @Max(Number.MAX_SAFE_INTEGER)
  @Min(1)
  @IsInt()
  logId: number;
}

/** The same, of one subscription. */
export class ReplayDto extends IntersectionType(SubscriptionIdDto, ReplayFieldsDto) {}

/** What a template is filled with. */
export class TemplateFieldsDto {
  /** @example { "mediaContainerId": 7, "receiver": [{ "recipient": "press@example.org" }] } */
  @ApiPropertyOptional({ type: 'object', additionalProperties: true })
  @Allow()
  payload?: unknown;
}

/** The same, and which template. */
export class TemplateDto extends TemplateFieldsDto {
  /** @example "createDownloadLink" */
  @IsString()
  template: string;
}
