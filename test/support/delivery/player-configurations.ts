import { FormatsRepository } from '../../../src/modules/formats/formats.repository.js';
import { type Format, FormatReaderService, type FormatSettings } from '../../../src/modules/formats/index.js';
import { type ContainerType, MediaContainer, type MediaType } from '../../../src/modules/media/index.js';
import { EmbedLink } from '../../../src/modules/player-configurations/index.js';
import { Database } from '../../../src/shared/database/index.js';
import { aUser } from '../accounts/scenario.js';
import type { TestApp } from '../app/test-app.js';
import { type Answer, call, tokenOf } from '../media/uploads.js';

/** A player configuration as clients see it. */
export interface ConfigurationBody extends Record<string, unknown> {
  readonly id: number;
  readonly type: MediaType;
  readonly freshness: number;
  readonly formats: readonly { readonly formatId: number; readonly downloadable: boolean; readonly playerConfigurationId: number }[];
  readonly removedFormats?: readonly number[];
  readonly countEmbeds?: number;
  readonly autoGenerate: boolean;
}

export interface EmbedLinkBody extends Record<string, unknown> {
  readonly id: number;
  readonly link: string;
  readonly mediaContainerId: number;
  readonly playerConfigurationId: number | null;
  readonly flag: number;
  readonly created?: boolean;
}

type Owner = { readonly id: number; readonly customerId: number };

/** A custom format of the customer, based on the original of its first media type. */
export async function aFormat({ app }: Pick<TestApp, 'app'>, { customerId }: Owner, overrides: Partial<Format> = {}): Promise<Format> {
  const settings: FormatSettings = overrides.settings ?? { mediaTypes: ['video'] };
  const { rows } = await app
    .get(Database)
    .query<{ id: number }>('SELECT id FROM formats WHERE blueprint_key = $1', [`original-${settings.mediaTypes?.[0] ?? 'video'}`]);
  const format = { customerId, blueprintId: rows[0]?.id, name: 'Web', converter: 'ffmpeg' as const, ...overrides, settings };
  return await app.get(FormatsRepository).save(format);
}

/** The managed format of originals of a type. */
export async function originalOf({ app }: Pick<TestApp, 'app'>, { customerId }: Owner, type: MediaType): Promise<number> {
  const { all } = await app.get(FormatReaderService).visibleTo(customerId);
  return Number(all.find(({ blueprintKey }) => blueprintKey === `original-${type}`)?.id);
}

/** A media container without files. */
export async function aContainer(
  { app }: Pick<TestApp, 'app'>,
  { id: creatorId, customerId }: Owner,
  overrides: Partial<MediaContainer> & { type?: ContainerType } = {},
): Promise<MediaContainer> {
  const repository = app.get(Database).repository(MediaContainer);
  return await repository.save(repository.create({ customerId, creatorId, type: 'video', name: 'Interview', ...overrides }));
}

/** A user with a token, and what they do with player configurations and embed links. `url` may be that of another process. */
export async function aPublisher(app: TestApp, url = app.url) {
  const user = await aUser(app);
  const token = await tokenOf(app, user);
  const send = async <Body = ConfigurationBody>(path: string, method: string, body?: object, headers: Record<string, string> = {}) =>
    await call<Body>(`${url}/v5/${path}`, { method, token, body, headers });
  const configuration = (id: number | string) => `playerconfiguration/${id}`;
  const create = async (fields: object = {}): Promise<Answer<ConfigurationBody>> =>
    await send('playerconfiguration', 'POST', { name: 'Website', type: 'video', templateId: 1, formats: [], ...fields });
  return {
    user,
    token,
    send,
    create,
    /** A configuration that has to come about. */
    made: async (fields: object = {}): Promise<ConfigurationBody> => {
      const { status, body } = await create(fields);
      if (status !== 201) throw new Error(`No configuration was made: ${JSON.stringify(body)}`);
      return body;
    },
    get: async (id: number | string, query = '') => await send(`${configuration(id)}${query}`, 'GET'),
    find: async (query = '') => await send<ConfigurationBody[]>(`playerconfiguration${query}`, 'GET'),
    update: async (id: number, fields: object = {}, headers: Record<string, string> = {}) =>
      await send(configuration(id), 'PUT', { formats: [], ...fields }, headers),
    destroy: async (id: number, body?: object, headers: Record<string, string> = {}) =>
      await send<ConfigurationBody & { code?: string }>(configuration(id), 'DELETE', body, headers),
    embed: async (mediaContainerId: number, playerConfigurationId: unknown, fields: object = {}) =>
      await send<EmbedLinkBody>(`embedlink/${mediaContainerId}`, 'POST', { playerConfigurationId, ...fields }),
    linksOf: async (mediaContainerId: number, query = '') => await send<EmbedLinkBody[]>(`embedlink/${mediaContainerId}${query}`, 'GET'),
    unlink: async (id: number) => await send<EmbedLinkBody>(`embedlink/${id}`, 'DELETE'),
  };
}

export type Publisher = Awaited<ReturnType<typeof aPublisher>>;

/** The embed links of a customer as they are stored, in the order of their ids. */
export const storedLinks = async ({ app }: Pick<TestApp, 'app'>, { customerId }: Owner): Promise<EmbedLink[]> =>
  await app
    .get(Database)
    .repository(EmbedLink)
    .find({ where: { customerId }, order: { id: 'ASC' } });

/** What is wrong with an input, in short: path and code of each problem, sorted. */
export const problemsOf = ({ body }: { readonly body: unknown }): string[] =>
  ((body as { errors?: { path: string; code: string }[] }).errors ?? []).map(({ path, code }) => `${path} ${code}`).sort();
