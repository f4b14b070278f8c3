import { Injectable } from '@nestjs/common';
import { type Caller, requireAdminLevel } from '../../shared/auth/index.js';
import type { Cached } from '../../shared/cache/index.js';
import { type DomainError, type FieldProblem, generalErrors } from '../../shared/errors/index.js';
import { refuseInvalid } from '../../shared/validation/index.js';
import { checkAutoGenerate, checkBlueprint, checkMediaTypes, checkTool, checkUnchanged } from './check-format.js';
import { findSettingsProblems } from './command/find-settings-problems.js';
import type { Format } from './format.entity.js';
import { FormatAvailability } from './format-availability.js';
import type { FormatChanges, FormatFields, NewFormat } from './format-fields.js';
import { FormatReader, type VisibleFormats } from './format-reader.js';
import { FormatReferences } from './format-references.js';
import type { MediaType } from './format-settings.js';
import { formatErrors } from './formats.errors.js';
import { FormatsRepository } from './formats.repository.js';
import { resolveSettings } from './resolve-settings.js';
import { storedSettings } from './stored-settings.js';

/** Above 9: whoever hands parameters to a program past the blueprint's allowance. */
const RAW_PARAMETERS_LEVEL = 10;
/** What a find without a page answers at most (contract section 1). */
const MOST_ANSWERED = 10_000;

/** Which formats: those behind `after`, of them only those of `id` and `mediaType` if these are given. */
export interface FormatQuery {
  readonly id?: number;
  readonly mediaType?: MediaType;
  readonly refresh?: boolean;
  readonly after?: number;
  readonly limit?: number;
}

/** Formats as they are read, and among which others. */
export interface FoundFormats {
  readonly found: readonly Format[];
  readonly visible: Cached<VisibleFormats>;
  /** Why some of them cannot be made, by their ids. */
  readonly reasons: ReadonlyMap<number, string>;
}

/** One of them. */
export type FoundFormat = Pick<FoundFormats, 'visible' | 'reasons'> & { readonly format: Format };

/** The formats of a customer, which any of its users may read and change; blueprints are read only. */
@Injectable()
export class FormatsService {
  constructor(
    private readonly reader: FormatReader,
    private readonly formats: FormatsRepository,
    private readonly references: FormatReferences,
    private readonly availability: FormatAvailability,
  ) {}

  async list({ customerId }: Caller, query: FormatQuery): Promise<FoundFormats> {
    const { id, mediaType, refresh, after = 0, limit = MOST_ANSWERED } = query;
    const visible = await this.reader.visibleTo(customerId, { refresh });
    const found = visible.value.all.filter(
      (format) =>
        format.id > after && (id === undefined || format.id === id) && (!mediaType || format.settings.mediaTypes?.includes(mediaType)),
    );
    const page = found.slice(0, limit);
    return { found: page, visible, reasons: await this.availability.findReasons(page, visible.value) };
  }

  /** Throws `not_found`. */
  async get({ customerId }: Caller, id: number, { refresh = false } = {}): Promise<FoundFormat> {
    const visible = await this.reader.visibleTo(customerId, { refresh });
    const format = visible.value.byId.get(id);
    if (!format) throw unknown(id);
    return { format, visible, reasons: await this.availability.findReasons([format], visible.value) };
  }

  /** Answers its id. Throws `validation_failed`, `admin_level_not_sufficient` for raw parameters. */
  async create(caller: Caller, input: NewFormat): Promise<number> {
    requireLevelForRaw(caller, input);
    const { customerId, userId } = caller;
    const { blueprintId, converter, name, usage = 'transcoding' } = input;
    const blueprint = await this.reader.find(customerId, blueprintId);
    const stored = storedSettings(null, input);
    refuseInvalid([...checkBlueprint(input, blueprint), ...(await this.check(customerId, { converter, ...stored }, blueprint))]);
    const format = { customerId, blueprintId, converter, name, usage, ...stored, creatorId: userId, lastEditorId: userId };
    return await this.reader.changing(customerId, async () => (await this.formats.save(format)).id);
  }

  /** Throws `not_found`, `blueprint_read_only`, `validation_failed`, `admin_level_not_sufficient` for raw parameters. */
  async update(caller: Caller, input: FormatChanges): Promise<number> {
    const { format: seen, visible } = await this.get(caller, input.id);
    if (seen.customerId === null) throw formatErrors.blueprint_read_only(`The format ${input.id} is a blueprint and cannot be changed.`);
    requireLevelForRaw(caller, input);
    const blueprint = visible.value.byId.get(seen.blueprintId ?? 0) ?? null;
    return await this.reader.changing(caller.customerId, async () => {
      const format = await this.formats.lockForCustomer(caller.customerId, input.id);
      if (!format || format.destroyJobId !== null) throw unknown(input.id);
      const { name, usage = format.usage } = input;
      const changed = { ...format, name, usage, lastEditorId: caller.userId, ...storedSettings(format, input) };
      refuseInvalid([...checkUnchanged(input, format), ...(await this.check(caller.customerId, changed, blueprint))]);
      return (await this.formats.save(changed)).id;
    });
  }

  private async check(
    customerId: number,
    format: Pick<Format, 'converter' | 'settings' | 'configuration'>,
    blueprint: Format | null,
  ): Promise<FieldProblem[]> {
    const { converter, settings, configuration } = format;
    const resolved = resolveSettings(format, blueprint);
    const suits = blueprint?.converter === converter; // else only that is told
    const found = suits ? findSettingsProblems(converter, resolved) : [];
    return [
      ...found.map(({ path, message }) => ({ path: whereSaid(path, format), code: 'not_allowed', message })),
      ...(suits ? checkTool(converter, resolved) : []),
      ...checkMediaTypes('settings', settings.mediaTypes, blueprint),
      ...checkMediaTypes('configuration', configuration?.mediaTypes, blueprint),
      ...checkAutoGenerate('settings', settings.autoGenerate, resolved.mediaTypes),
      ...checkAutoGenerate('configuration', configuration?.autoGenerate, resolved.mediaTypes),
      ...(await this.references.check(customerId, settings, 'settings')),
      ...(await this.references.check(customerId, configuration ?? {}, 'configuration')),
    ];
  }
}

function requireLevelForRaw(caller: Caller, { settings, configuration, raw }: FormatFields): void {
  const asked = [settings, configuration, raw].some((place) => place && (place.ffmpeg != null || place.imagemagick != null));
  if (asked) requireAdminLevel(caller, RAW_PARAMETERS_LEVEL, 'set parameters of a converter past the blueprint');
}

/** `settings.…`, or `configuration.…` where only that says it. */
function whereSaid(path: string, { settings, configuration }: Pick<Format, 'settings' | 'configuration'>): string {
  const [, key = ''] = path.split('.');
  return !(key in settings) && key in (configuration ?? {}) ? path.replace('settings', 'configuration') : path;
}

const unknown = (id: number): DomainError => generalErrors.not_found(`There is no format ${id}.`);
