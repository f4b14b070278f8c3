import { Injectable } from '@nestjs/common';
import { ClientDirectory } from '../../../shared/auth/index.js';
import type { FieldProblem } from '../../../shared/errors/index.js';
import { invalidInput } from '../../../shared/validation/index.js';
import { FormatReaderService, type MediaType } from '../../formats/index.js';
import { MediaReader } from '../../media/index.js';
import type { DeliveredConfiguration } from '../delivered-configuration.js';
import { findFormatProblems } from './find-format-problems.js';

/** What an input names that has to exist. */
export interface References {
  readonly formats: readonly { readonly formatId: number }[];
  readonly securitySettings?: { readonly oauth?: { readonly clientId: string } | null } | null;
  readonly settings?: {
    readonly oauth?: { readonly clientId: string } | null;
    readonly fixedPreviewImage?: { readonly mediaContainerId?: number | null } | null;
  } | null;
}

/** Whose configuration it is, and what is stored of it (null: it is new). */
export interface ReferenceContext {
  readonly customerId: number;
  readonly type: MediaType;
  readonly before: DeliveredConfiguration | null;
  /** What else is wrong with the input. */
  readonly problems?: readonly FieldProblem[];
}

/** A format went between the look at it and the change. */
class FormatIsGone extends Error {}

/** Whether what a configuration names exists. Clients and containers that it named before may be gone and still be sent again, and formats may be flagged. */
@Injectable()
export class ConfigurationReferences {
  constructor(
    private readonly formats: FormatReaderService,
    private readonly media: MediaReader,
    private readonly clients: ClientDirectory,
  ) {}

  /** Runs a change when there is what it names; a format that goes away at the same moment is told like one that was gone before. */
  async holding<Result>(sent: References, context: ReferenceContext, change: () => Promise<Result>): Promise<Result> {
    await this.check(sent, context);
    try {
      return await change();
    } catch (error) {
      if (error instanceof FormatIsGone) await this.check(sent, context, { refresh: true });
      throw error;
    }
  }

  /**
   * Keeps the formats from being destroyed until the transaction ends; those of `before` may have flag 1. Called before the configuration is
   * locked: destroying a format locks in this order, too.
   */
  async keepFormats({ formats }: Pick<References, 'formats'>, before: DeliveredConfiguration | null): Promise<void> {
    const flagged = before?.formats.map(({ formatId }) => formatId);
    if (
      !(await this.formats.keep(
        formats.map(({ formatId }) => formatId),
        { flagged },
      ))
    )
      throw new FormatIsGone('A format was destroyed meanwhile.');
  }

  private async check(sent: References, context: ReferenceContext, { refresh = false } = {}): Promise<void> {
    const { value: visible } = await this.formats.visibleTo(context.customerId, { refresh });
    const found = [
      ...(context.problems ?? []),
      ...findFormatProblems(sent.formats, { type: context.type, delivered: context.before?.formats ?? [], visible: visible.byId }),
      ...(await this.findClientProblems(sent, context)),
      ...(await this.findContainerProblems(sent, context)),
    ];
    if (found.length === 0) return;
    if (refresh) throw invalidInput(...found);
    await this.check(sent, context, { refresh: true }); // another process may have made the format a moment ago
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
