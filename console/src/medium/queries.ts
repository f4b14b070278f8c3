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
