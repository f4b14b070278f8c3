import { Transform } from 'class-transformer';
import {
  ArrayMaxSize,
  ArrayMinSize,
  ArrayUnique,
  IsArray,
  IsBoolean,
  IsIn,
  IsInt,
  IsString,
  Matches,
  Max,
  MaxLength,
  Min,
  MinLength,
} from 'class-validator';
import { IsColor } from '../../shared/color.js';
import type { FieldProblem } from '../../shared/errors.js';
import { IsId, NestedList, NestedObject, type Stored, UnlessNull, ValidateDeeply, valueTypes } from '../../shared/validation/index.js';
import { BurnTimecodeDto } from '../accounts/index.js';
import { MEDIA_TYPES, type MediaType } from '../media/index.js';
import { type AllowedParameter, GRAVITIES, type Gravity, type ParameterValue } from './format-settings.js';

/** Alternative spellings of file types. */
const SYNONYMS: ReadonlyMap<string, string> = new Map([
  ['jpeg', 'jpg'],
  ['tif', 'tiff'],
]);

/** Converts a file type to lower case without a dot; leaves other values for the validator to refuse. */
export function toFiletype(sent: unknown): unknown {
  const [, extension] = (typeof sent === 'string' && /^\.?([A-Za-z0-9]+)$/.exec(sent)) || [];
  return extension === undefined ? sent : (SYNONYMS.get(extension.toLowerCase()) ?? extension.toLowerCase());
}

/** More parameters than any converter has. */
const MAX_PARAMETERS = 200;
const MAX_PARAMETER_NAME_CHARACTERS = 100;
/** Far longer than any value that a converter accepts; formats are cached in memory. */
const MAX_VALUE_CHARACTERS = 131_072;

const MAX_TEXT_CHARACTERS = 2_000;
const MAX_NAME_CHARACTERS = 200;
const MAX_LANGUAGE_CHARACTERS = 35; // RFC 5646 section 4.4.1 recommends supporting this length
/** The limits of the converters in seconds: until a sound starts, until it repeats, and for a test. */
const MAX_SECONDS = 86_400;
const MAX_INTERVAL_SECONDS = 3_600;
const MAX_TEST_SECONDS = 600;
const MAX_POINTS = 2_000;
const MAX_PIXELS = 16_384;

/** An object of command parameters: strings, numbers and booleans by name. */
const IsParameters = () => ValidateDeeply('isParameters', findParametersProblems, { maxProperties: MAX_PARAMETERS });

/** An entry of metadata that is written into the file. */
class MetadataDefinitionDto {
  /** Name of a metadata field, or tags, license, instructions. @example "author" */
  @MaxLength(MAX_NAME_CHARACTERS)
  @MinLength(1)
  @IsString()
  metaTitle: string;

  /** @example "iptc" */
  @UnlessNull()
  @IsIn(['exif', 'iptc'])
  type?: 'exif' | 'iptc' | null;

  /** The IPTC or EXIF field to use. @example "By-line" */
  @UnlessNull()
  @MaxLength(MAX_NAME_CHARACTERS)
  @IsString()
  key?: string | null;

  /** Preferred languages of the metadata, in order of preference. @example ["de", "en"] */
  @UnlessNull()
  @ArrayMaxSize(100)
  @MaxLength(MAX_LANGUAGE_CHARACTERS, { each: true })
  @IsString({ each: true })
  @IsArray()
  languages?: string[] | null;

  /** Preferred language of the metadata; uni if it does not exist. @example "de" */
  @UnlessNull()
  @MaxLength(MAX_LANGUAGE_CHARACTERS)
  @IsString()
  language?: string | null;

  /** The text of `instructions`. @example "Embargo until noon" */
  @UnlessNull()
  @MaxLength(MAX_TEXT_CHARACTERS)
  @IsString()
  value?: string | null;
}

/** An image that is overlaid on the picture. Beta. */
class WatermarkDto {
  /** A watermark asset made of an image: type watermark, flag 33. @example 12 */
  @IsId()
  mediaContainerId: number;

  /** Corner (t top, b bottom, l left, r right), or c for the centre. @example "br" */
  @UnlessNull()
  @IsIn(['tl', 'tr', 'bl', 'br', 'c'])
  position?: 'tl' | 'tr' | 'bl' | 'br' | 'c' | null;

  /** Width in percent of the target's width; 0: in its own size. @example 20 */
  @UnlessNull()
  @Max(100)
  @Min(0)
  @IsInt()
  widthFactor?: number | null;

  /** @example "SouthEast" */
  @UnlessNull()
  @IsIn(GRAVITIES)
  gravity?: Gravity | null;
}

/** A sound that is mixed into that of the media. Beta. */
class AudioWatermarkDto {
  /** A watermark asset made of a sound: type watermark, flag 33. @example 13 */
  @IsId()
  mediaContainerId: number;

  /** Seconds until it is first played. @example 5 */
  @UnlessNull()
  @Max(MAX_SECONDS)
  @Min(0)
  @IsInt()
  position?: number | null;

  /** Seconds after which it repeats; 0: it does not repeat. @example 30 */
  @UnlessNull()
  @Max(MAX_INTERVAL_SECONDS)
  @Min(0)
  @IsInt()
  interval?: number | null;
}

/** Text on an image. Beta. */
class AnnotationDto {
  /** @example "© Newsroom" */
  @MaxLength(MAX_TEXT_CHARACTERS)
  @IsString()
  text: string;

  /** Name of a colour, or #rrggbb. @example "white" */
  @UnlessNull()
  @IsColor()
  fill?: string | null;

  /** @example "DejaVu-Sans" */
  @UnlessNull()
  @Matches(/^[A-Za-z0-9 _-]{1,100}$/, { message: '$property must be the name of a font: letters, digits, blanks and dashes' })
  @IsString()
  font?: string | null;

  /** @example "SouthEast" */
  @UnlessNull()
  @IsIn(GRAVITIES)
  gravity?: Gravity | null;

  /** Font size; by default computed from the size of the target. @example 24 */
  @UnlessNull()
  @Max(MAX_POINTS)
  @Min(1)
  @IsInt()
  pointSize?: number | null;

  /** Pixels from the edge that `gravity` names; by default computed from the size of the target. @example 20 */
  @UnlessNull()
  @Max(MAX_PIXELS)
  @Min(0)
  @IsInt()
  relative?: number | null;
}

/** A test mode, in which only the first seconds are made. */
class TestModeDto {
  /** Length in seconds; default: 5. @example 5 */
  @UnlessNull()
  @Max(MAX_TEST_SECONDS)
  @Min(1)
  @IsInt()
  seconds?: number | null;
}

/** The settings that the deprecated `configuration` also has. */
class SharedSettingsDto {
  /** The media types of originals for which it can be made; a subset of the blueprint's. @example ["video"] */
  @UnlessNull()
  @ArrayMinSize(1)
  @ArrayMaxSize(MEDIA_TYPES.length)
  @ArrayUnique()
  @IsIn(MEDIA_TYPES, { each: true })
  @IsArray()
  mediaTypes?: MediaType[] | null;

  /** False: players and download pages do not choose it automatically. @example true */
  @UnlessNull()
  @IsBoolean()
  useInPlayer?: boolean | null;

  /** The media types of new uploads for which it is made automatically. @example [] */
  @UnlessNull()
  @ArrayMaxSize(MEDIA_TYPES.length)
  @ArrayUnique()
  @IsIn(MEDIA_TYPES, { each: true })
  @IsArray()
  autoGenerate?: MediaType[] | null;

  /** Whether it is the preview to use for video or audio. @example false */
  @UnlessNull()
  @IsBoolean()
  previewFormat?: boolean | null;

  @UnlessNull()
  @NestedObject(() => WatermarkDto)
  watermark?: WatermarkDto | null;

  @UnlessNull()
  @NestedObject(() => AudioWatermarkDto)
  audioWatermark?: AudioWatermarkDto | null;

  @UnlessNull()
  @NestedObject(() => AnnotationDto)
  annotation?: AnnotationDto | null;

  /** The customer's individual configuration overrides it, key by key. */
  @UnlessNull()
  @NestedObject(() => BurnTimecodeDto)
  burnTimecode?: BurnTimecodeDto | null;

  /** Raw parameters of ffmpeg; they require an adminLevel above 9. */
  @UnlessNull()
  @IsParameters()
  ffmpeg?: Record<string, ParameterValue> | null;

  /** Raw parameters of ImageMagick; they require an adminLevel above 9. */
  @UnlessNull()
  @IsParameters()
  imagemagick?: Record<string, ParameterValue> | null;
}

/** Settings of a format. In an update each key replaces the stored value; null clears it. */
export class FormatSettingsDto extends SharedSettingsDto {
  /** @example false */
  @UnlessNull()
  @IsBoolean()
  createThumbnailVersions?: boolean | null;

  /** File type of the target; by default the blueprint's. @example "mp4" */
  @Transform(({ value }: { value: unknown }) => toFiletype(value))
  @UnlessNull()
  @Matches(/^\.?[A-Za-z0-9]{1,10}$/, { message: '$property must be a file extension of up to 10 letters and digits' })
  @IsString()
  filetype?: string | null;

  /** Command parameters, as far as the blueprint allows them. @example { "crf": 21 } */
  @UnlessNull()
  @IsParameters()
  parameters?: Record<string, ParameterValue> | null;

  @UnlessNull()
  @NestedList(() => MetadataDefinitionDto)
  metadata?: MetadataDefinitionDto[] | null;

  @UnlessNull()
  @NestedObject(() => TestModeDto)
  testMode?: TestModeDto | null;
}

/** Deprecated alternative to the settings; applies where they have no value. */
export class FormatConfigurationDto extends SharedSettingsDto {
  /** True: it cannot be requested directly. @example false */
  @UnlessNull()
  @IsBoolean()
  transcodingCreateNotAllowed?: boolean | null;
}

/** Deprecated; ignored apart from raw converter parameters. */
export class FormatCommandDto {
  /** Raw parameters of ffmpeg; they require an adminLevel above 9. */
  @UnlessNull()
  @IsParameters()
  ffmpeg?: Record<string, ParameterValue> | null;

  /** Raw parameters of ImageMagick; they require an adminLevel above 9. */
  @UnlessNull()
  @IsParameters()
  imagemagick?: Record<string, ParameterValue> | null;
}

export type MetadataDefinition = Stored<MetadataDefinitionDto>;
export type Watermark = Stored<WatermarkDto>;
export type AudioWatermark = Stored<AudioWatermarkDto>;
export type Annotation = Stored<AnnotationDto>;
export type BurnTimecode = Stored<BurnTimecodeDto>;

/** The stored settings of a format. Those of a blueprint also state the parameters that formats based on it may set. */
export type FormatSettings = Stored<FormatSettingsDto> & { readonly allowedParameters?: readonly AllowedParameter[] };

/** The stored, deprecated alternative to the settings. */
export type FormatConfiguration = Stored<FormatConfigurationDto>;

function findParametersProblems(value: unknown): FieldProblem[] {
  if (!valueTypes.object.accepts(value)) return [{ path: '', code: 'type', message: valueTypes.object.words }];
  const parameters = Object.entries(value as object);
  if (parameters.length > MAX_PARAMETERS) {
    return [{ path: '', code: 'max_members', message: `must have ${MAX_PARAMETERS} parameters or less` }];
  }
  return parameters.flatMap(([path, parameter]) => findParameterProblems(path, parameter));
}

const PARAMETER_TYPES = ['text', 'number', 'boolean'] as const;

function findParameterProblems(name: string, value: unknown): FieldProblem[] {
  if (name === '' || name.length > MAX_PARAMETER_NAME_CHARACTERS) {
    const message = `the names of parameters have 1 to ${MAX_PARAMETER_NAME_CHARACTERS} characters`;
    return [{ path: name.slice(0, MAX_PARAMETER_NAME_CHARACTERS), code: 'parameter_name', message }];
  }
  if (!PARAMETER_TYPES.some((type) => valueTypes[type].accepts(value))) {
    return [{ path: name, code: 'type', message: 'must be a string, a number or a boolean' }];
  }
  return typeof value !== 'string' || value.length <= MAX_VALUE_CHARACTERS
    ? []
    : [{ path: name, code: 'max_length', message: `must have ${MAX_VALUE_CHARACTERS} characters or less` }];
}
