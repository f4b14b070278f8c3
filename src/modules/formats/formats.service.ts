import { Injectable } from '@nestjs/common';
import { type Caller, editorOf } from '../../shared/auth/index.js';
import type { Cached } from '../../shared/cache/index.js';
import { type DomainError, type FieldProblem, generalErrors } from '../../shared/errors/index.js';
import { Quotas } from '../../shared/quotas/index.js';
import { findTooLarge, refuseInvalid } from '../../shared/validation/index.js';
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
import { keepRaw, requireLevelForRaw } from './raw-parameters.js';
import { resolveSettings } from './resolve-settings.js';
import { fillMediaTypes, storedSettings } from './stored-settings.js';

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

/** A format before it is stored. */
type CheckedFormat = Pick<Format, 'converter' | 'settings' | 'configuration'> & { readonly customerId: number };

/** What is stored of it so far, null if it is new, and what it is based on. */
interface CheckContext {
  readonly before: Format | null;
  readonly blueprint: Format | null;
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
    private readonly quotas: Quotas,
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

  /** Answers its id. Throws `validation_failed`, `quota_exceeded`, `admin_level_not_sufficient` for raw parameters. */
  async create(caller: Caller, input: NewFormat): Promise<number> {
    requireLevelForRaw(caller, input, null);
    const { customerId, userId } = caller;
    const { blueprintId, converter, name, usage = 'transcoding' } = input;
    const blueprint = await this.reader.find(customerId, blueprintId);
    const stored = fillMediaTypes(storedSettings(null, input), input, { before: null, blueprint });
    const problems = await this.check({ customerId, converter, ...stored }, input, { before: null, blueprint });
    refuseInvalid([...checkBlueprint(input, blueprint), ...problems]);
    const format = { customerId, blueprintId, converter, name, usage, ...stored, creatorId: userId, ...editorOf(caller) };
    return await this.reader.changing(customerId, async () => {
      await this.quotas.reserve(customerId, 'formats');
      return (await this.formats.save(format)).id;
    });
  }

  /** Throws `not_found`, `blueprint_read_only`, `validation_failed`, `admin_level_not_sufficient` for raw parameters. */
  async update(caller: Caller, input: FormatChanges): Promise<number> {
    const { format: seen, visible } = await this.get(caller, input.id);
    if (seen.customerId === null) throw formatErrors.blueprint_read_only(`The format ${input.id} is a blueprint and cannot be changed.`);
    const blueprint = visible.value.byId.get(seen.blueprintId ?? 0) ?? null;
    return await this.reader.changing(caller.customerId, async () => {
      const format = await this.formats.lockForCustomer(caller.customerId, input.id);
      if (!format || format.destroyJobId !== null) throw unknown(input.id);
      requireLevelForRaw(caller, input, format);
      const { name, usage = format.usage } = input;
      const context = { before: format, blueprint };
      const stored = fillMediaTypes(keepRaw(caller, storedSettings(format, input), format), input, context);
      const changed = { ...format, name, usage, ...editorOf(caller), ...stored };
      refuseInvalid([
        ...findTooLarge({ settings: changed.settings, configuration: changed.configuration }, input),
        ...checkUnchanged(input, format),
        ...(await this.check({ ...changed, customerId: caller.customerId }, input, context)),
      ]);
      return (await this.formats.save(changed)).id;
    });
  }

  /** What is wrong with a format as it would be stored; `settings` whose problem the deprecated `type` caused are told as that. */
  private async check(
    format: CheckedFormat,
    { type, settings: sent }: FormatFields,
    { before, blueprint }: CheckContext,
  ): Promise<FieldProblem[]> {
    const { customerId, converter, settings, configuration } = format;
    const resolved = resolveSettings(format, blueprint);
    const suits = blueprint?.converter === converter; // else only that is told
    const found = suits ? findSettingsProblems(converter, resolved) : [];
    const problems = [
      ...found.map(({ path, message }) => ({ path: whereSaid(path, format), code: 'not_allowed', message })),
      ...(suits ? checkTool(converter, resolved) : []),
      ...checkMediaTypes('settings', settings.mediaTypes, blueprint),
      ...checkMediaTypes('configuration', configuration?.mediaTypes, blueprint),
      ...checkAutoGenerate('settings', settings.autoGenerate, resolved.mediaTypes),
      ...checkAutoGenerate('configuration', configuration?.autoGenerate, resolved.mediaTypes),
      ...(await this.references.check(customerId, { path: 'settings', settings, before })),
      ...(await this.references.check(customerId, { path: 'configuration', settings: configuration ?? {}, before })),
    ];
    const isOfType = type != null && sent?.mediaTypes == null;
    return problems.map((one) => (isOfType && one.path === 'settings.mediaTypes' ? { ...one, path: 'type' } : one));
  }
}

/** `settings.…`, or `configuration.…` where only that says it. */
function whereSaid(path: string, { settings, configuration }: Pick<Format, 'settings' | 'configuration'>): string {
  const [, key = ''] = path.split('.');
  return !(key in settings) && key in (configuration ?? {}) ? path.replace('settings', 'configuration') : path;
}

const unknown = (id: number): DomainError => generalErrors.not_found(`There is no format ${id}.`);
