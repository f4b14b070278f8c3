import { Injectable } from '@nestjs/common';
import { ClientDirectory } from '../../shared/auth/index.js';
import type { FieldProblem } from '../../shared/errors.js';
import { type IgnoredInputResponse, refuseInvalid } from '../../shared/validation/index.js';
import { type Format, FormatReaderService, mediaTypesOf } from '../formats/index.js';
import { MediaReaderRepository, type MediaType } from '../media/index.js';
import type { DeliveredConfiguration } from './player-configuration.entity.js';

/** The parts of an input that refer to other objects, which must exist. */
interface References {
  readonly formats: readonly { readonly formatId: number }[];
  readonly securitySettings?: { readonly oauth?: { readonly clientId: string } | null } | null;
  readonly settings?: {
    readonly oauth?: { readonly clientId: string } | null;
    readonly fixedPreviewImage?: { readonly mediaContainerId?: number | null } | null;
  } | null;
}

/** The customer that owns the configuration, and the stored configuration (null: it is new). */
interface ReferenceContext {
  readonly customerId: number;
  readonly type: MediaType;
  readonly before: DeliveredConfiguration | null;
  /** Problems of the input that have already been found. */
  readonly problems?: readonly FieldProblem[];
}

/** A format was destroyed between the check and the change. */
class FormatDestroyed extends Error {}

/**
 * Checks that the formats, clients and containers of a configuration exist. A client or container in the stored configuration may be sent again after
 * it was deleted, and so may a format that is flagged as deleted.
 */
@Injectable()
export class ConfigurationReferencesService {
  constructor(
    private readonly formats: FormatReaderService,
    private readonly media: MediaReaderRepository,
    private readonly clients: ClientDirectory,
  ) {}

  /** Runs a change after the check. A format that is destroyed concurrently is reported like one that did not exist before. */
  async changeChecked<Result>(sent: References, context: ReferenceContext, change: () => Promise<Result>): Promise<Result> {
    await this.check(sent, context);
    try {
      return await change();
    } catch (error) {
      if (error instanceof FormatDestroyed) await this.check(sent, context);
      throw error;
    }
  }

  /**
   * Locks the formats against destruction until the transaction ends; those of `before` may have flag 1. Must be called before the configuration is
   * locked, because the destruction of a format locks in this order too.
   */
  async lockFormats({ formats }: Pick<References, 'formats'>, before: DeliveredConfiguration | null): Promise<void> {
    const ids = formats.map(({ formatId }) => formatId);
    const flagged = before?.formats.map(({ formatId }) => formatId);
    if (await this.formats.lockAgainstDestruction(ids, { flagged })) return;
    throw new FormatDestroyed('A format was destroyed during the change.');
  }

  /** Finds references to formats that have no effect on pages: a preview that is to be downloaded, formats that no page offers, and test mode. */
  async findIgnoredFormats(
    customerId: number,
    formats: readonly { readonly formatId: number; readonly downloadable?: boolean | null }[],
  ): Promise<IgnoredInputResponse[]> {
    const visible = await this.formats.visibleTo(customerId);
    return formats.flatMap(({ formatId, downloadable }, index) => {
      const format = visible.byId.get(formatId);
      const reason = (path: string, text: string) => [{ path: `formats.${index}.${path}`, reason: text }];
      if (format?.settings.testMode) return reason('formatId', 'the format is in test mode, so its files are not delivered');
      const isOffered = format?.settings.useInPlayer !== false;
      if (!isOffered) return reason('formatId', 'player and download page do not offer the format, because its useInPlayer is false');
      return format?.usage === 'preview' && downloadable ? reason('downloadable', 'previews are never downloadable') : [];
    });
  }

  private async check(sent: References, context: ReferenceContext): Promise<void> {
    const visible = await this.formats.visibleTo(context.customerId);
    refuseInvalid([
      ...(context.problems ?? []),
      ...findFormatProblems(sent.formats, { type: context.type, delivered: context.before?.formats ?? [], visible: visible.byId }),
      ...(await this.findClientProblems(sent, context)),
      ...(await this.findContainerProblems(sent, context)),
    ]);
  }

  private async findClientProblems(sent: References, { before }: ReferenceContext): Promise<FieldProblem[]> {
    const problems: FieldProblem[] = [];
    for (const group of ['securitySettings', 'settings'] as const) {
      const clientId = sent[group]?.oauth?.clientId;
      if (clientId === undefined || clientId === before?.[group]?.oauth?.clientId || (await this.clients.exists(clientId))) continue;
      problems.push(notFound(`${group}.oauth.clientId`, `there is no client application ${clientId}`));
    }
    return problems;
  }

  private async findContainerProblems(sent: References, { customerId, before }: ReferenceContext): Promise<FieldProblem[]> {
    const id = sent.settings?.fixedPreviewImage?.mediaContainerId ?? null;
    if (id === null || id === before?.settings?.fixedPreviewImage?.mediaContainerId) return [];
    if (await this.media.containerExists(customerId, id)) return [];
    return [notFound('settings.fixedPreviewImage.mediaContainerId', `there is no media container ${id}`)];
  }
}

const notFound = (path: string, message: string): FieldProblem => ({ path, code: 'not_found', message });

type FormatReference = { readonly formatId: number };

/** The configuration that will deliver the formats. */
interface FormatContext {
  readonly type: MediaType;
  /** The formats that it already delivers. */
  readonly delivered: readonly FormatReference[];
  /** The formats that its customer sees, by id. */
  readonly visible: ReadonlyMap<number, Format>;
}

/**
 * Finds the problems of the formats of a configuration. A format that it already delivers may be sent back even if it has since been flagged as
 * deleted or has changed its media types (contract section 12.1).
 */
function findFormatProblems(formats: readonly FormatReference[], { type, delivered, visible }: FormatContext): FieldProblem[] {
  const known = new Set(delivered.map(({ formatId }) => formatId));
  const seen = new Set<number>();
  return formats.flatMap(({ formatId }, index) => {
    const format = visible.get(formatId);
    const problem = seen.has(formatId) ? repeated(formatId) : format && known.has(formatId) ? null : findProblem(formatId, type, format);
    seen.add(formatId);
    return problem ? [{ path: `formats.${index}.formatId`, ...problem }] : [];
  });
}

type Problem = Omit<FieldProblem, 'path'>;

function findProblem(id: number, type: MediaType, format: Format | undefined): Problem | null {
  if (!format) return { code: 'not_found', message: `there is no format ${id}` };
  if (format.flag !== 0) return { code: 'format_deleted', message: `the format ${id} has been deleted` };
  return mediaTypesOf(format).includes(type)
    ? null
    : { code: 'type_mismatch', message: `the format ${id} is not made for media of type ${type}` };
}

const repeated = (id: number): Problem => ({ code: 'repeated', message: `the format ${id} is listed more than once` });
