import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { mimeTypeOf } from '../../../shared/mime-type-of.js';
import { AcceptedObjectsService, type DeliverableItem, type StoryboardFacts } from '../../media/index.js';
import { deliveryErrors } from '../delivery.errors.js';
import { DeliveryGateService } from '../gate/delivery-gate.service.js';
import { ViewersService } from '../gate/viewers.service.js';

/** Players fetch the picture once, when the film is opened; browsers may keep the redirect for a shorter time. */
const PICTURE_SECONDS = 300;

/** The newest storyboard among the files of a container; null: none has been made. */
export const findStoryboard = (items: readonly DeliverableItem[]): Storyboard | null => items.findLast(isStoryboard) ?? null;

/** A file with tiles. */
type Storyboard = DeliverableItem & { readonly storyboard: StoryboardFacts; readonly width: number; readonly height: number };

const isStoryboard = (item: DeliverableItem): item is Storyboard => item.storyboard !== null && item.width !== null && item.height !== null;

/** Storyboards, whose pictures players show while a viewer looks for a scene. */
@Injectable()
export class StoryboardsService {
  constructor(
    private readonly gate: DeliveryGateService,
    private readonly viewers: ViewersService,
    private readonly objects: AcceptedObjectsService,
  ) {}

  /** The times of the tiles as WebVTT. Throws what the gate throws, and 404 `storyboard_not_available`. */
  async readCues(link: string, request: Request): Promise<string> {
    const opened = await this.gate.open(link, request, { fromPlayer: true });
    const item = findStoryboard(opened.items);
    if (!item) throw noStoryboard();
    const query = new URLSearchParams({ ...this.viewers.tokensOf(opened, request) }).toString();
    return writeCues(item, `storyboard/${item.id}.jpg${query === '' ? '' : `?${query}`}`);
  }

  /** The URL of the picture with the tiles in the storage. Throws what `readCues` throws, and 409 `object_changed`. */
  async pictureUrl(link: string, mediaId: number, request: Request): Promise<string> {
    const { items } = await this.gate.open(link, request, { fromPlayer: true });
    const item = items.filter(isStoryboard).find(({ id }) => id === mediaId);
    if (!item) throw noStoryboard();
    const { fileName, fileExtension } = item;
    const contentType = mimeTypeOf(fileExtension);
    return await this.objects.signedUrl(item, { expiresInSeconds: PICTURE_SECONDS, disposition: 'inline', fileName, contentType });
  }
}

const noStoryboard = () => deliveryErrors.storyboard_not_available('There is no storyboard of this.');

/**
 * Writes one cue for each tile, with its part of the picture (Media Fragments, section 4.2.2). `uri`: the address of the picture, relative to that of
 * the cues.
 */
export function writeCues({ storyboard, width, height }: Pick<Storyboard, 'storyboard' | 'width' | 'height'>, uri: string): string {
  const { intervalSeconds, pictures, columns, rows } = storyboard;
  const [tileWidth, tileHeight] = [Math.floor(width / columns), Math.floor(height / rows)];
  const cues = Array.from({ length: pictures }, (_, index) => {
    const [x, y] = [(index % columns) * tileWidth, Math.floor(index / columns) * tileHeight];
    const times = `${timeOf(index * intervalSeconds)} --> ${timeOf((index + 1) * intervalSeconds)}`;
    return `${times}\n${uri}#xywh=${x},${y},${tileWidth},${tileHeight}\n`;
  });
  return `WEBVTT\n\n${cues.join('\n')}`;
}

/** Formats seconds as `01:02:03.000`. */
function timeOf(seconds: number): string {
  const parts = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60, seconds % 60];
  return `${parts.map((part) => String(part).padStart(2, '0')).join(':')}.000`;
}
