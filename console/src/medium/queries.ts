import type { components } from '@media-delivery/sdk';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type Version, versionOf } from '../elements/version';
import { type Container, changeListed, mediumOf, refreshMedia } from '../library/queries';
import { keys } from '../query-keys';
import { api } from '../session';

/** Reads a media container with its version. */
export const readMedium = async (id: number, signal?: AbortSignal): Promise<Version<Container>> =>
  versionOf(await api.GET('/v5/mediacontainer/{id}', { params: { path: { id } }, ...(signal && { signal }) }));

/** A media container with its items, and its version. */
export const useMediumVersion = (id: number, enabled = true) =>
  useQuery({ queryKey: keys.media.one(id), enabled, queryFn: async ({ signal }) => await readMedium(id, signal) });

/** A media container with its items. */
export const useMedium = (id: number, enabled = true) =>
  useQuery({
    queryKey: keys.media.one(id),
    enabled,
    queryFn: async ({ signal }) => await readMedium(id, signal),
    select: ({ value }) => value,
  });

/** The running and failed jobs of a container. */
export const useJobs = (mediaContainerId: number) =>
  useQuery({
    queryKey: keys.activity.ofMedium(mediaContainerId),
    queryFn: async ({ signal }) => (await api.GET('/v5/activity', { params: { query: { mediaContainerId, limit: 50 } }, signal })).data,
    refetchInterval: ({ state }) => (state.data?.some(({ status }) => status === 'running') ? 3_000 : false),
  });

/** The embed links of a container, newest first. */
export const useEmbedLinks = (id: number, enabled = true) =>
  useQuery({
    queryKey: keys.embedLinks.one(id),
    enabled,
    queryFn: async ({ signal }) => (await api.GET('/v5/embedlink/{id}', { params: { path: { id } }, signal })).data,
  });

/** Creates an embed link of a container with a player configuration, or returns the one that there is. */
export const createEmbedLink = async (id: number, playerConfigurationId: number) =>
  (await api.POST('/v5/embedlink/{id}', { params: { path: { id } }, body: { playerConfigurationId } })).data;

/** `createEmbedLink` for a page, whose list of links is loaded again. */
export function useNewEmbedLink(id: number) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async (playerConfigurationId: number) => await createEmbedLink(id, playerConfigurationId),
    onSettled: async () => await queries.invalidateQueries({ queryKey: keys.embedLinks.one(id) }),
  });
}

export type MediumChanges = components['schemas']['MediaContainerChangesDto'];

/** Changes a container whose version is still the current one. */
export const changeMedium = async (id: number, body: MediumChanges, etag: string): Promise<Version<Container>> =>
  versionOf(await api.PUT('/v5/mediacontainer/{id}', { params: { path: { id }, header: { 'If-Match': etag } }, body }));

/** Shows a container as it was saved on all pages that have loaded it. */
export function useShowSaved() {
  const queries = useQueryClient();
  return (saved: Version<Container>) => {
    queries.setQueryData(keys.media.one(saved.value.id), saved);
    changeListed(queries, new Set([saved.value.id]), () => mediumOf(saved.value));
    void refreshMedia(queries);
  };
}

/** Makes formats of a container. */
export function useTranscode(id: number) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async (formatIds: readonly number[]) =>
      (await api.POST('/v5/mediacontainer/{id}/transcode', { params: { path: { id } }, body: { formatIds: [...formatIds] } })).data,
    onSuccess: async () => await queries.invalidateQueries({ queryKey: keys.activity.ofMedium(id) }),
  });
}

export type Role = NonNullable<Container['media'][number]['role']>;

/** A subtitle file or another track to add. */
export interface NewTrack {
  readonly file: File;
  readonly role: Role;
  readonly language: string;
  readonly label: string;
  readonly default: boolean;
}

/** Adds, changes and deletes the tracks of a container. */
export function useTracks(id: number) {
  const queries = useQueryClient();
  const onSuccess = async () => await queries.invalidateQueries({ queryKey: keys.media.one(id) });
  const add = useMutation({
    onSuccess,
    mutationFn: async ({ file, role, language, label, default: isDefault }: NewTrack) => {
      const words = role === 'poster' ? {} : { language, default: isDefault, ...(label && { label }) };
      await api.upload([{ file, mediaContainerId: id, role, ...words }]);
    },
  });
  const change = useMutation({
    onSuccess,
    mutationFn: async ({ mediaId, ...body }: { mediaId: number; language?: string; label?: string | null; default?: boolean }) =>
      await api.PUT('/v5/mediacontainer/{id}/media/{mediaId}', { params: { path: { id, mediaId } }, body }),
  });
  const remove = useMutation({
    onSuccess,
    mutationFn: async (mediaId: number) =>
      await api.DELETE('/v5/mediacontainer/{id}/media/{mediaId}', { params: { path: { id, mediaId } } }),
  });
  return { add, change, remove };
}

/** The limit of download links that are searched for those of a container, the newest first. */
const MAX_LINKS = 1_000;

/** The download links that offer a container. */
export const useDownloadLinks = (id: number) =>
  useQuery({
    queryKey: keys.downloadLinks.all,
    queryFn: async ({ signal }) => (await api.GET('/v5/downloadlink', { params: { query: { limit: MAX_LINKS } }, signal })).data,
    select: (links) => links.filter(({ mediaContainerIds }) => mediaContainerIds.includes(id)),
  });

export type NewDownloadLink = components['schemas']['CreateDownloadLinkDto'];

/** Creates a download link, whose lists are loaded again. */
export function useNewDownloadLink() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async (body: NewDownloadLink) => (await api.POST('/v5/downloadlink', { body })).data,
    onSettled: async () => {
      for (const queryKey of [keys.downloadLinks.all, keys.shares.all]) await queries.invalidateQueries({ queryKey });
    },
  });
}

/** The figures of a medium in the last 30 days; zeros if nothing was counted. */
export const useWatched = (id: number) =>
  useQuery({
    queryKey: keys.statistics.ofMedium(id),
    queryFn: async ({ signal }) => {
      const { data } = await api.GET('/v5/statistics', { params: { query: { by: 'mediaContainer', mediaContainer: id } }, signal });
      return data[0] ?? { plays: 0, watchedSeconds: 0, finished: 0, downloads: 0, refused: 0 };
    },
  });

/** The share of plays that saw each hundredth of a medium, from 0 to 1. */
export const useRetention = (id: number) =>
  useQuery({
    queryKey: keys.media.retention(id),
    queryFn: async ({ signal }) => (await api.GET('/v5/mediacontainer/{id}/retention', { params: { path: { id } }, signal })).data,
  });

/** Opens a file of a container in another tab, by an URL that ends soon. */
export async function openItem(id: number, mediaId: number): Promise<void> {
  const { data } = await api.GET('/v5/mediacontainer/{id}/media/{mediaId}/url', { params: { path: { id, mediaId } } });
  window.open(data.url, '_blank', 'noopener');
}
