import { Injectable } from '@nestjs/common';
import type { FieldProblem } from '../../shared/errors/index.js';
import { MediaReader } from '../media/index.js';
import type { Format } from './format.entity.js';
import type { FormatConfiguration, FormatSettings } from './format-settings.js';

const ASSETS = [
  { key: 'watermark', type: 'image', name: 'an image' },
  { key: 'audioWatermark', type: 'audio', name: 'a sound' },
] as const;

/** What names watermarks, and the format as it is stored; null: it is new. */
interface NamedAssets {
  readonly path: 'settings' | 'configuration';
  readonly settings: FormatSettings | FormatConfiguration;
  readonly before: Pick<Format, 'settings' | 'configuration'> | null;
}

/** Whether what a format names exists. */
@Injectable()
export class FormatReferences {
  constructor(private readonly media: MediaReader) {}

  /**
   * Problems of the watermarks in `settings` or `configuration`, whichever `path` says (contract section 7). One that the format named before
   * may be gone and still be sent back.
   */
  async check(customerId: number, { path, settings, before }: NamedAssets): Promise<FieldProblem[]> {
    const problems: FieldProblem[] = [];
    for (const { key, type, name } of ASSETS) {
      const id = settings[key]?.mediaContainerId;
      const known = [before?.settings[key]?.mediaContainerId, before?.configuration?.[key]?.mediaContainerId];
      if (id === undefined || known.includes(id)) continue;
      const [found] = await this.media.findMany(customerId, [id]);
      const at = `${path}.${key}.mediaContainerId`;
      if (!found) problems.push({ path: at, code: 'not_found', message: `there is no media container ${id}` });
      else if (found.container.flag !== 33 || found.container.type !== 'watermark' || found.items[0]?.type !== type) {
        problems.push({
          path: at,
          code: 'not_a_watermark',
          message: `must be a watermark asset (type watermark, flag 33) made of ${name}`,
        });
      }
    }
    return problems;
  }
}
