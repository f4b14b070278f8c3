import { Injectable } from '@nestjs/common';
import { ActivitiesRepository, type NewestTranscoding } from '../../activity/index.js';
import { type Format, FormatReaderService } from '../../formats/index.js';
import type { executionErrors, transcodingEndErrors } from './transcodings.errors.js';

/** The state of the newest transcoding of a container into a format. */
export interface FormatProgress {
  readonly formatId: number;
  /** Whether it is a preview, which is made before other renditions. */
  readonly isPreview: boolean;
  /** running: it waits in the queue, or is being made. */
  readonly status: 'running' | 'successful' | 'failed';
  /** Progress in per cent. */
  readonly progress: number;
  /** Why it failed: a sentence for viewers, without details that only users of the customer may see. Null: it has not failed. */
  readonly reason: string | null;
  /** The transcoding ended without a rendition, because the original does not need one. */
  readonly isSkipped: boolean;
}

type FailureCode = keyof typeof executionErrors | keyof typeof transcodingEndErrors;

/** The message of an activity may name programs, files and settings, so viewers get a sentence that depends on the code only. */
const REASONS: Readonly<Record<FailureCode, string>> = {
  format_gone: 'The format no longer exists.',
  source_missing: 'The original file no longer exists.',
  watermark_missing: 'The watermark of this format no longer exists.',
  source_unreadable: 'The original file is damaged or is not of a kind that can be converted.',
  transcoding_refused: 'The original file cannot be converted into this format.',
  tool_failed: 'A program could not convert the original file.',
  took_too_long: 'The conversion took too long.',
  size_limit_exceeded: 'The result would have been too large.',
  result_unreadable: 'The result of the conversion could not be read.',
  cancelled: 'The conversion was cancelled.',
  format_unavailable: 'The service lacks a program that this format needs.',
  transcoding_gave_up: 'The conversion was interrupted too often.',
};

/** The progress of transcodings for viewers, as it is now: it is never cached. */
@Injectable()
export class PreviewProgressService {
  constructor(
    private readonly activities: ActivitiesRepository,
    private readonly formats: FormatReaderService,
  ) {}

  /** The progress of each format into which a container was transcoded recently. */
  async find(mediaContainerId: number): Promise<readonly FormatProgress[]> {
    return (await this.findMany([mediaContainerId])).get(mediaContainerId) ?? [];
  }

  /** The same of many containers, by their ids; without those that were transcoded into no format recently. */
  async findMany(mediaContainerIds: readonly number[]): Promise<ReadonlyMap<number, readonly FormatProgress[]>> {
    const newest = await this.activities.findNewestTranscodings(mediaContainerIds);
    const customerIds = [...new Set(newest.map(({ customerId }) => customerId))];
    const visible = new Map(await Promise.all(customerIds.map(async (id) => [id, await this.formats.visibleTo(id)] as const)));
    const byContainer = new Map<number, FormatProgress[]>();
    for (const one of newest) {
      const progress = toProgress(one, visible.get(one.customerId)?.byId.get(one.formatId));
      byContainer.set(one.mediaContainerId, [...(byContainer.get(one.mediaContainerId) ?? []), progress]);
    }
    return byContainer;
  }
}

function toProgress({ formatId, status, progress, code, isSkipped }: NewestTranscoding, format: Format | undefined): FormatProgress {
  const reason = status === 'failed' ? reasonOf(code) : null;
  return { formatId, isPreview: format?.usage === 'preview', status, progress, reason, isSkipped };
}

/** The sentence for a code; a process of another version may have stored an unknown code. */
const reasonOf = (code: string | null): string =>
  (REASONS as Readonly<Record<string, string>>)[code ?? ''] ?? 'The conversion did not succeed.';
