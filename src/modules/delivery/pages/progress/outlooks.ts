import { Injectable } from '@nestjs/common';
import { PreviewProgressService } from '../../../converter/index.js';
import type { OpenedLink } from '../../gate/delivery-gate.js';
import { awaitedFormats, type Outlook, outlookOf } from './outlook-of.js';

/** What is still to come of opened links. */
@Injectable()
export class Outlooks {
  constructor(private readonly transcodings: PreviewProgressService) {}

  /** Does not query where nothing better can come. */
  async find(opened: OpenedLink): Promise<Outlook> {
    const isAwaited = awaitedFormats(opened).size > 0;
    return outlookOf(opened, (isAwaited && (await this.transcodings.find(opened.container.id))) || []);
  }
}
