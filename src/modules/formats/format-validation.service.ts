import { Injectable } from '@nestjs/common';
import type { FieldProblem } from '../../shared/errors.js';
import { MediaReaderRepository, type MediaType } from '../media/index.js';
import { type Converter, getConverter } from './converters/converters.js';
import { findSettingsProblems } from './converters/find-settings-problems.js';
import { mergeParameters } from './converters/merge-parameters.js';
import { FORMAT_DESTROYED, type Format } from './format.entity.js';
import type { CreateFormatDto, FormatFieldsDto, UpdateFormatDto } from './format-inputs.dto.js';
import type { FormatConfiguration, FormatSettings } from './format-settings.dto.js';
import type { Parameters } from './format-settings.js';
import { resolveSettings } from './stored-settings.js';

/** A format before it is stored. */
type CheckedFormat = Pick<Format, 'converter' | 'settings' | 'configuration'> & { readonly customerId: number };

/** The stored format (null: it is new), and the blueprint that it is based on. */
interface CheckContext {
  readonly before: Format | null;
  readonly blueprint: Format | null;
}

const ASSETS = [
  { key: 'watermark', type: 'image', name: 'an image' },
  { key: 'audioWatermark', type: 'audio', name: 'a sound' },
] as const;

/** Settings that may refer to watermarks, and their origin. */
interface Assets {
  readonly path: 'settings' | 'configuration';
  readonly settings: FormatSettings | FormatConfiguration;
  readonly before: Format | null;
}

/** Checks the rules of formats that depend on stored data: the blueprint, the format itself, watermark assets. */
@Injectable()
export class FormatValidationService {
  constructor(private readonly media: MediaReaderRepository) {}

  /** Finds the problems of a format to be stored. Problems of `settings` that the deprecated `type` causes are reported for `type`. */
  async findProblems(
    format: CheckedFormat,
    { type, settings: sent }: FormatFieldsDto,
    { before, blueprint }: CheckContext,
  ): Promise<FieldProblem[]> {
    const { customerId, converter, settings, configuration } = format;
    const resolved = resolveSettings(format, blueprint);
    const isConverterRight = blueprint?.converter === converter; // a wrong converter is the only problem reported
    const found = isConverterRight ? findSettingsProblems(converter, resolved) : [];
    const problems = [
      ...found.map(({ path, message }) => ({ path: locate(path, format), code: 'not_allowed', message })),
      ...((isConverterRight && getConverter(converter).findConflicts?.(resolved, commandWith(resolved, converter, blueprint))) || []),
      ...checkMediaTypes('settings', settings.mediaTypes, blueprint),
      ...checkMediaTypes('configuration', configuration?.mediaTypes, blueprint),
      ...checkAutoGenerate('settings', settings.autoGenerate, resolved.mediaTypes),
      ...checkAutoGenerate('configuration', configuration?.autoGenerate, resolved.mediaTypes),
      ...(await this.checkAssets(customerId, { path: 'settings', settings, before })),
      ...(await this.checkAssets(customerId, { path: 'configuration', settings: configuration ?? {}, before })),
    ];
    const isFromType = type != null && sent?.mediaTypes == null;
    return problems.map((problem) => (isFromType && problem.path === 'settings.mediaTypes' ? { ...problem, path: 'type' } : problem));
  }

  /** Finds problems of watermarks (contract section 7). A watermark that the format already had is accepted even if it is gone. */
  private async checkAssets(customerId: number, { path, settings, before }: Assets): Promise<FieldProblem[]> {
    const problems: FieldProblem[] = [];
    for (const { key, type, name } of ASSETS) {
      const id = settings[key]?.mediaContainerId;
      const known = [before?.settings[key]?.mediaContainerId, before?.configuration?.[key]?.mediaContainerId];
      if (id === undefined || known.includes(id)) continue;
      const [found] = await this.media.findMany(customerId, [id]);
      const at = `${path}.${key}.mediaContainerId`;
      if (!found) problems.push({ path: at, code: 'not_found', message: `there is no media container ${id}` });
      else if (found.container.flag !== 33 || found.container.type !== 'watermark' || found.items[0]?.type !== type) {
        const message = `must be a watermark asset (type watermark, flag 33) made of ${name}`;
        problems.push({ path: at, code: 'not_a_watermark', message });
      }
    }
    return problems;
  }
}

/** The command of a format before it is stored. */
const commandWith = (settings: FormatSettings, converter: Converter, { settings: blueprint }: Format): Parameters =>
  mergeParameters({ blueprint, custom: settings, converter, mediaTypes: settings.mediaTypes ?? [] }).command;

/** Finds problems of the blueprint of a new format, and of its converter. */
export function checkBlueprint({ blueprintId, converter }: CreateFormatDto, blueprint: Format | null): FieldProblem[] {
  if (!blueprint) return [{ path: 'blueprintId', code: 'not_found', message: `there is no format ${blueprintId}` }];
  if (blueprint.customerId !== null)
    return [{ path: 'blueprintId', code: 'not_a_blueprint', message: 'must be a blueprint (isBlueprint)' }];
  if (blueprint.flag === FORMAT_DESTROYED)
    return [{ path: 'blueprintId', code: 'format_destroyed', message: 'the blueprint is destroyed' }];
  if (blueprint.converter !== converter)
    return [{ path: 'converter', code: 'not_of_blueprint', message: `the blueprint's converter is ${blueprint.converter}` }];
  if (converter !== 'original') return [];
  return [
    { path: 'converter', code: 'original_format', message: `uploads belong to "${blueprint.name}" itself, so it makes no rendition` },
  ];
}

/** Finds changes to the blueprint or converter of a format, which cannot be changed. */
export function checkUnchanged({ blueprintId, converter }: UpdateFormatDto, format: Format): FieldProblem[] {
  const problem = (path: string, value: unknown) => ({ path, code: 'cannot_change', message: `cannot be changed; it is ${value}` });
  return [
    ...(blueprintId != null && blueprintId !== format.blueprintId ? [problem('blueprintId', format.blueprintId)] : []),
    ...(converter != null && converter !== format.converter ? [problem('converter', format.converter)] : []),
  ];
}

function checkMediaTypes(path: string, mediaTypes: readonly MediaType[] | undefined, blueprint: Format | null): FieldProblem[] {
  const known = blueprint?.settings.mediaTypes;
  if (!known || (mediaTypes ?? []).every((type) => known.includes(type))) return [];
  return [{ path: `${path}.mediaTypes`, code: 'not_of_blueprint', message: `the blueprint is for ${known.join(', ')} only` }];
}

/** Checks that a format is made automatically only for its own media types. */
function checkAutoGenerate(
  path: string,
  autoGenerate: readonly MediaType[] | undefined,
  mediaTypes: readonly MediaType[] | undefined,
): FieldProblem[] {
  if (!mediaTypes || (autoGenerate ?? []).every((type) => mediaTypes.includes(type))) return [];
  return [{ path: `${path}.autoGenerate`, code: 'not_of_format', message: `the format is made only from ${mediaTypes.join(', ')}` }];
}

/** Returns the path of a setting: `settings.…`, or `configuration.…` if only that contains the setting. */
function locate(path: string, { settings, configuration }: Pick<Format, 'settings' | 'configuration'>): string {
  const [, key = ''] = path.split('.');
  return !(key in settings) && key in (configuration ?? {}) ? path.replace('settings', 'configuration') : path;
}
