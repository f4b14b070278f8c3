import { type ReadPage, usePages } from '../elements/use-pages';
import { keys } from '../query-keys';
import { api } from '../session';
import type { ShareKind } from './shares-search';

/** A way in for people without an account: a link or a dropsite, in the same shape. */
export interface Share {
  readonly id: number;
  readonly url: string;
  /** A title that people gave it; null: it is named by its medium. */
  readonly title: string | null;
  readonly mediaContainerIds: readonly number[];
  readonly playerConfigurationId: number | null;
  readonly requiresPassword: boolean;
  /** When it was ended, or else ends by itself; null: never. */
  readonly end: Date | null;
  readonly lastUsedAt: string | null;
  /** Null: uses of dropsites are not counted. */
  readonly uses: number | null;
}

type Page = Awaited<ReturnType<ReadPage<Share>>>;

interface Query {
  readonly state: 'active' | 'ended' | 'all';
  readonly limit: number;
  readonly cursor?: never;
}

const PAGE = 50;
const atSeconds = (seconds: number | null): Date | null => (seconds === null ? null : new Date(seconds * 1_000));

const FIND: Readonly<Record<ShareKind, (query: Query, signal: AbortSignal) => Promise<Page>>> = {
  embed: async (query, signal) => {
    const { data, response } = await api.GET('/v5/embedlink', { params: { query }, signal });
    const shares = data.map(({ id, url, description, mediaContainerId, playerConfigurationId, end, endedAt, lastUsedAt, uses }) => ({
      ...{ id, url, title: description || null, mediaContainerIds: [mediaContainerId], playerConfigurationId },
      ...{ requiresPassword: false, end: endedAt === null ? atSeconds(end) : new Date(endedAt), lastUsedAt, uses },
    }));
    return { data: shares, response };
  },
  download: async (query, signal) => {
    const { data, response } = await api.GET('/v5/downloadlink', { params: { query }, signal });
    const shares = data.map(({ id, url, title, mediaContainerIds, end, lastUsedAt, uses }) => ({
      ...{ id, url, title: title || null, mediaContainerIds, playerConfigurationId: null },
      ...{ requiresPassword: false, end: atSeconds(end), lastUsedAt, uses },
    }));
    return { data: shares, response };
  },
  dropsite: async (query, signal) => {
    const { data, response } = await api.GET('/v5/dropsite', { params: { query }, signal });
    const shares = data.map(({ id, url, name, requiresPassword, expiresAt, lastUsedAt }) => ({
      ...{ id, url, title: name || null, mediaContainerIds: [], playerConfigurationId: null, requiresPassword },
      ...{ end: expiresAt === null ? null : new Date(expiresAt), lastUsedAt, uses: null },
    }));
    return { data: shares, response };
  },
};

/** The shares of a kind, page by page, newest first. */
export const useShares = (kind: ShareKind, state: Query['state']) =>
  usePages(keys.shares.list({ kind, state }), async (page, signal) => await FIND[kind]({ state, limit: PAGE, ...page }, signal));

const END: Readonly<Record<ShareKind, (id: number) => Promise<unknown>>> = {
  embed: async (id) => await api.DELETE('/v5/embedlink/{id}', { params: { path: { id } } }),
  download: async (id) => await api.DELETE('/v5/downloadlink/{id}', { params: { path: { id } } }),
  dropsite: async (id) => await api.DELETE('/v5/dropsite/{id}', { params: { path: { id } } }),
};

/** Ends shares for good. */
export const endShares = async (kind: ShareKind, ids: readonly number[]): Promise<void> => void (await Promise.all(ids.map(END[kind])));
