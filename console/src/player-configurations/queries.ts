import type { components } from '@media-delivery/sdk';
import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { versionOf } from '../elements/version';
import { keys } from '../query-keys';
import { api } from '../session';

type Schemas = components['schemas'];
export type Configuration = Schemas['PlayerConfigurationResponse'];
export type NewConfiguration = Schemas['CreatePlayerConfigurationDto'];
export type ConfigurationChanges = Schemas['PlayerConfigurationChangesDto'];
export type Viewer = Schemas['DescribedViewerDto'];
export type Explanation = Schemas['DeliveryExplanationResponse'];
export type RuleOutcome = Schemas['RuleOutcomeResponse'];

/** Reads all player configurations, without their formats and links. */
export const readConfigurations = async (signal?: AbortSignal) =>
  (await api.GET('/v5/playerconfiguration', { ...(signal && { signal }) })).data;

const list = queryOptions({ queryKey: keys.playerConfigurations.lists, queryFn: async ({ signal }) => await readConfigurations(signal) });

/** All player configurations, without their formats and links. */
export const useConfigurationList = () => useQuery(list);

/** The names of player configurations, by their ids. */
export const useConfigurationNames = () => useQuery({ ...list, select: toNames });

const toNames = (found: readonly { readonly id: number; readonly name: string }[]) => new Map(found.map(({ id, name }) => [id, name]));

/** All player configurations, with their formats and the number of their links. */
export const useConfigurations = () =>
  useQuery({
    queryKey: keys.playerConfigurations.counted,
    queryFn: async ({ signal }) => {
      const query = { showFormats: true, showCountEmbeds: true };
      return (await api.GET('/v5/playerconfiguration', { params: { query }, signal })).data;
    },
  });

/** Reads a player configuration with its version. */
export const readConfiguration = async (id: number) =>
  versionOf(await api.GET('/v5/playerconfiguration/{id}', { params: { path: { id }, query: { showCountEmbeds: true } } }));

export const useConfiguration = (id: number) =>
  useQuery({ queryKey: keys.playerConfigurations.one(id), queryFn: async () => await readConfiguration(id) });

/** Creates a player configuration, once for each key. */
export const createConfiguration = async (body: NewConfiguration, key: string) =>
  versionOf(await api.POST('/v5/playerconfiguration', { params: { header: { 'Idempotency-Key': key } }, body }));

/** Changes a player configuration whose version is still the current one. */
export const changeConfiguration = async (id: number, body: ConfigurationChanges, etag: string) =>
  versionOf(await api.PUT('/v5/playerconfiguration/{id}', { params: { path: { id }, header: { 'If-Match': etag } }, body }));

/** Makes a player configuration whose version is still the current one the default of its type. */
export function useMakingDefault(id: number) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async (etag: string) => {
      await api.POST('/v5/playerconfiguration/{id}/default', { params: { path: { id }, header: { 'If-Match': etag } } });
    },
    onSettled: async () => await queries.invalidateQueries({ queryKey: keys.playerConfigurations.all }),
  });
}

/** Destroys a player configuration. `move`: -1 deletes its links, an id moves them to that configuration, undefined: it has none. */
export function useDestroyConfiguration(id: number) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async (move: number | undefined) => {
      await api.DELETE('/v5/playerconfiguration/{id}', { params: { path: { id }, query: move === undefined ? {} : { move } } });
    },
    onSuccess: async () => {
      queries.removeQueries({ queryKey: keys.playerConfigurations.one(id) });
      await Promise.all(
        [keys.playerConfigurations.counted, keys.playerConfigurations.lists].map(
          async (queryKey) => await queries.invalidateQueries({ queryKey }),
        ),
      );
    },
  });
}

/** Asks which rules of a configuration admit a described viewer. */
export const useSimulation = (id: number) =>
  useMutation({
    mutationFn: async (body: Viewer) => (await api.POST('/v5/playerconfiguration/{id}/explain', { params: { path: { id } }, body })).data,
  });

/** The newest link of a configuration, of a medium if one is given; null if the configuration has no link. */
export const useLink = (playerConfigurationId: number, mediaContainerId: number | undefined) =>
  useQuery({
    queryKey: keys.embedLinks.newest(playerConfigurationId, mediaContainerId),
    queryFn: async ({ signal }) => {
      const query = { playerConfigurationId, limit: 1, ...(mediaContainerId !== undefined && { mediaContainerId }) };
      return (await api.GET('/v5/embedlink', { params: { query }, signal })).data[0] ?? null;
    },
  });

/** Client applications and access keys that rules may name. */
export const useCredentialNames = (mayList: boolean) =>
  useQuery({
    queryKey: keys.credentialNames,
    enabled: mayList,
    queryFn: async ({ signal }) => {
      const [clients, keys] = await Promise.all([api.GET('/v5/client', { signal }), api.GET('/v5/accessKey', { signal })]);
      return { clientIds: clients.data.map(({ clientId }) => clientId), accessKeys: keys.data.map(({ accessKey }) => accessKey) };
    },
  });
