import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { api } from '../session';

/** A media container with its items; loaded again every few seconds while something of it is being converted. */
export const useMedium = (id: number, enabled = true) =>
  useQuery({
    queryKey: ['media', id],
    enabled,
    queryFn: async ({ signal }) => (await api.GET('/v5/mediacontainer/{id}', { params: { path: { id } }, signal })).data,
  });

/** The running and failed jobs of a container. */
export const useJobs = (mediaContainerId: number) =>
  useQuery({
    queryKey: ['activity', 'medium', mediaContainerId],
    queryFn: async ({ signal }) => (await api.GET('/v5/activity', { params: { query: { mediaContainerId, limit: 50 } }, signal })).data,
    refetchInterval: ({ state }) => (state.data?.some(({ status }) => status === 'running') ? 3_000 : false),
  });

/** The embed links of a container, newest first. */
export const useEmbedLinks = (id: number) =>
  useQuery({
    queryKey: ['embed-links', id],
    queryFn: async ({ signal }) => (await api.GET('/v5/embedlink/{id}', { params: { path: { id } }, signal })).data,
  });

export const usePlayerConfigurations = () =>
  useQuery({
    queryKey: ['player-configurations'],
    queryFn: async ({ signal }) => (await api.GET('/v5/playerconfiguration', { signal })).data,
  });

/** Creates an embed link with a player configuration. */
export function useNewEmbedLink(id: number) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async (playerConfigurationId: number) =>
      (await api.POST('/v5/embedlink/{id}', { params: { path: { id } }, body: { playerConfigurationId } })).data,
    onSettled: async () => await queries.invalidateQueries({ queryKey: ['embed-links', id] }),
  });
}

export interface Description {
  readonly name: string;
  readonly description: string;
  readonly tags: string[];
}

/** Changes the name, description and tags. */
export function useDescribe(id: number) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async (changes: Description) =>
      (await api.PUT('/v5/mediacontainer/{id}', { params: { path: { id } }, body: changes })).data,
    onSuccess: async () => await queries.invalidateQueries({ queryKey: ['media'] }),
  });
}

/** The figures of a medium in the last 30 days; zeros if nothing was counted. */
export const useWatched = (id: number) =>
  useQuery({
    queryKey: ['statistics', 'medium', id],
    queryFn: async ({ signal }) => {
      const { data } = await api.GET('/v5/statistics', { params: { query: { by: 'mediaContainer', mediaContainer: id } }, signal });
      return data[0] ?? { plays: 0, watchedSeconds: 0, finished: 0, downloads: 0, refused: 0 };
    },
  });

/** The share of plays that saw each hundredth of a medium, from 0 to 1. */
export const useRetention = (id: number) =>
  useQuery({
    queryKey: ['retention', id],
    queryFn: async ({ signal }) => (await api.GET('/v5/mediacontainer/{id}/retention', { params: { path: { id } }, signal })).data,
  });

/** Opens a file of a container in another tab, by an URL that ends soon. */
export async function openItem(id: number, mediaId: number): Promise<void> {
  const { data } = await api.GET('/v5/mediacontainer/{id}/media/{mediaId}/url', { params: { path: { id, mediaId } } });
  window.open(data.url, '_blank', 'noopener');
}
