import { randomUUID } from 'node:crypto';
import type { Format } from '../../../src/modules/formats/index.js';
import { type MediaContainer, MediaItem } from '../../../src/modules/media/index.js';
import type { PlayerSettings, SecuritySettings } from '../../../src/modules/player-configurations/index.js';
import { Database } from '../../../src/shared/database/index.js';
import type { TestApp } from '../app/test-app.js';
import { aContainer, aFormat, aPublisher, type ConfigurationBody, type Publisher } from '../delivery/player-configurations.js';
import { rawRequest } from '../raw-request.js';

/** A storage that does not answer; URLs for it are signed anyway. */
export const silentStorage = {
  s3Bucket: 'media',
  s3Endpoint: 'http://storage.invalid',
  storageKey: { accessKeyId: 'key', secretAccessKey: 'secret' },
};

export interface EmbeddedMedia {
  readonly publisher: Publisher;
  readonly container: MediaContainer;
  readonly format: Format;
  readonly item: MediaItem;
}

/** A file that is said to be in the storage. */
export async function anItem(
  { app }: Pick<TestApp, 'app'>,
  container: Pick<MediaContainer, 'id' | 'customerId'>,
  fields: Partial<MediaItem> & { formatId: number | null },
): Promise<MediaItem> {
  const repository = app.get(Database).repository(MediaItem);
  const file = { type: 'video' as const, fileName: 'interview', fileExtension: 'mp4', fileSize: 11, status: 'successful' as const };
  const where = {
    mediaContainerId: container.id,
    customerId: container.customerId,
    bucket: 'media',
    s3Key: `renditions/${randomUUID()}.mp4`,
  };
  return await repository.save(repository.create({ ...file, ...where, ...fields }));
}

/** A publisher with a container that has one file of one format. */
export async function embeddedMedia(app: TestApp): Promise<EmbeddedMedia> {
  const publisher = await aPublisher(app);
  const container = await aContainer(app, publisher.user);
  const format = await aFormat(app, publisher.user);
  const item = await anItem(app, container, { formatId: format.id });
  return { publisher, container, format, item };
}

export interface Protection {
  readonly security?: Partial<SecuritySettings>;
  readonly settings?: PlayerSettings;
  readonly formats?: readonly { formatId: number; downloadable?: boolean }[];
}

/** A link to the container, by a configuration of its own that delivers its format unless others are named. */
export async function aProtectedLink(
  { publisher, container, format }: EmbeddedMedia,
  { security, settings, formats = [{ formatId: format.id, downloadable: true }] }: Protection = {},
): Promise<{ readonly id: number; readonly link: string; readonly configuration: ConfigurationBody }> {
  const securitySettings = security && { authOnly: false, ...security };
  const configuration = await publisher.made({ formats, ...(securitySettings && { securitySettings }), ...(settings && { settings }) });
  const { status, body } = await publisher.embed(container.id, configuration.id);
  if (status !== 201) throw new Error(`No link was made: ${JSON.stringify(body)}`);
  return { id: body.id, link: body.link, configuration };
}

export interface ViewerRequest {
  readonly headers?: Record<string, string>;
  readonly query?: Record<string, string | number | boolean>;
  readonly method?: string;
}

export interface Delivered {
  readonly status: number;
  readonly code: string | undefined;
  readonly rule: string | undefined;
  readonly headers: Record<string, string | string[] | undefined>;
  readonly text: string;
}

/** GET /v5/deliverFile/:link as a viewer sends it; nothing is followed. */
export async function deliverFile(
  origin: string,
  link: string,
  { headers = {}, query = {}, method }: ViewerRequest = {},
): Promise<Delivered> {
  const parameters = new URLSearchParams(Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]));
  const answer = await rawRequest(origin, { path: `/v5/deliverFile/${link}?${parameters}`, headers, ...(method && { method }) });
  const isProblem = answer.headers['content-type']?.startsWith('application/problem+json') && answer.text !== '';
  const { code, rule } = (isProblem ? JSON.parse(answer.text) : {}) as { code?: string; rule?: string };
  return { ...answer, code, rule };
}

/** `delivered`, or the status with rule and code. */
export async function outcome(origin: string, link: string, request: ViewerRequest = {}): Promise<string> {
  const { status, rule, code } = await deliverFile(origin, link, request);
  return status === 302 ? 'delivered' : [status, rule, code].filter(Boolean).join(' ');
}
