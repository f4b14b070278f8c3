import type { Format } from '../../../src/modules/formats/index.js';
import type { MediaType } from '../../../src/modules/media/index.js';
import type { TestApp } from '../app/test-app.js';
import { addRendition, type NewRendition } from '../converter/renditions.js';
import { uploadMedia } from '../media/media.js';
import { aFormat, type ConfigurationBody, originalOf, type Publisher } from './player-configurations.js';

/** What is uploaded, and what is made of it: by name, so that tests can speak of them. */
export interface NewEmbed {
  readonly type: MediaType;
  readonly original: { readonly fileName: string; readonly content: string | Uint8Array };
  /** Formats of the configuration, each with its file. */
  readonly renditions?: Readonly<Record<string, Omit<NewRendition, 'containerId' | 'formatId'> & { readonly format?: Partial<Format> }>>;
  /** Files that are added to the container: subtitles, unless a role is named. */
  readonly beside?: readonly NewTrack[];
  /** Names of renditions (or `original`) that the configuration delivers; all renditions, else the original, unless given. */
  readonly delivers?: readonly string[];
  readonly downloadable?: readonly string[];
  readonly configuration?: Record<string, unknown>;
}

/** A track, as a client uploads it. */
export interface NewTrack {
  readonly fileName: string;
  readonly fileExtension: string;
  readonly content: string | Uint8Array;
  readonly language?: string;
  readonly role?: string;
  readonly label?: string;
  readonly default?: boolean;
}

export interface Embed {
  readonly link: string;
  readonly containerId: number;
  readonly configuration: ConfigurationBody;
  /** Ids by name, `original` among them. */
  readonly formatIds: Readonly<Record<string, number>>;
  readonly mediaIds: Readonly<Record<string, number>>;
}

/** Media with all its files in the storage, and a link to it. */
export async function anEmbed(app: TestApp, publisher: Publisher, wanted: NewEmbed): Promise<Embed> {
  const { type, original, renditions = {}, beside = [], configuration: fields = {} } = wanted;
  const { fileName, content } = original;
  const originalFileExtension = fileName.split('.').at(-1) ?? '';
  const { id: containerId, mediaId } = await uploadMedia(app, publisher.token, { type, fileName, originalFileExtension, content });
  const formatIds: Record<string, number> = { original: await originalOf(app, publisher.user, type) };
  const mediaIds: Record<string, number> = { original: mediaId };
  for (const [name, { format = {}, ...file }] of Object.entries(renditions)) {
    const made = await aFormat(app, publisher.user, { name, settings: { mediaTypes: [type] }, ...format });
    formatIds[name] = made.id;
    mediaIds[name] = await addRendition(app, { containerId, formatId: made.id, type, ...file });
  }
  for (const { fileName: named, fileExtension, ...track } of beside) {
    const name = `${named}.${fileExtension}`;
    const file = { role: 'subtitles', ...track, mediaContainerId: containerId, fileName: name, originalFileExtension: fileExtension };
    mediaIds[name] = (await uploadMedia(app, publisher.token, file)).mediaId;
  }
  const names = wanted.delivers ?? (Object.keys(renditions).length > 0 ? Object.keys(renditions) : ['original']);
  const formats = names.map((name) => ({ formatId: formatIds[name], downloadable: wanted.downloadable?.includes(name) ?? false }));
  const templateId = type === 'video' || type === 'audio' ? 1 : 0;
  const configuration = await publisher.made({ type, templateId, formats, ...fields });
  const { status, body } = await publisher.embed(containerId, configuration.id);
  if (status !== 201) throw new Error(`No link was made: ${JSON.stringify(body)}`);
  return { link: body.link, containerId, configuration, formatIds, mediaIds };
}
