import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type Container, refreshMedia } from '../library/queries';
import { createEmbedLink } from '../medium/queries';
import { api } from '../session';

/** The newest medium; null: the customer has none. */
export const useNewestMedium = () =>
  useQuery({
    queryKey: ['media', 'newest'],
    queryFn: async ({ signal }) => {
      const { data } = await api.GET('/v5/mediacontainer', { params: { query: { limit: 1 } }, signal });
      return data[0] ?? null;
    },
    // The file of a medium arrives after the medium is announced; its picture is made within seconds.
    refetchInterval: ({ state }) => (state.data && !isReady(state.data) ? 2_000 : false),
  });

const isReady = ({ media, preview, type }: Container): boolean =>
  media.some(({ status }) => status === 'successful') && (preview !== null || type === 'audio');

/** The addresses of the sample media, which a service in development offers to browsers on its machine. */
export const useSamples = () =>
  useQuery({
    queryKey: ['samples'],
    staleTime: Infinity,
    queryFn: async ({ signal }): Promise<readonly string[]> => {
      const answer = await fetch('/', { headers: { accept: 'application/json' }, signal });
      const { samples } = (await answer.json()) as { readonly samples?: readonly string[] };
      return samples ?? [];
    },
  });

/** Why formats cannot be made here, and of how many that is true. */
export function useMissingPrograms() {
  return useQuery({
    queryKey: ['formats', 'list'],
    queryFn: async ({ signal }) => (await api.GET('/v5/format', { signal })).data,
    select: (formats) => {
      const counts = new Map<string, number>();
      // A format of a tool of the operator needs a declaration instead of a program.
      const lacking = formats.filter(({ converter }) => converter !== 'cli');
      for (const { unavailableReason: reason } of lacking) if (reason) counts.set(reason, (counts.get(reason) ?? 0) + 1);
      return [...counts].map(([reason, count]) => ({ reason, count }));
    },
  });
}

/** Creates an embed link of a medium with a player configuration for its type, which is created if there is none yet. */
async function embed({ id, type }: Pick<Container, 'id' | 'type'>, name: string) {
  const { data: configurations } = await api.GET('/v5/playerconfiguration');
  const existing = configurations.find((configuration) => configuration.type === type);
  return await createEmbedLink(id, existing?.id ?? (await createConfiguration(type, name)));
}

/** A configuration that delivers the uploaded file to everyone. */
async function createConfiguration(type: Container['type'], name: string): Promise<number> {
  const { data: formats } = await api.GET('/v5/format');
  const original = formats.find(({ converter, settings }) => converter === 'original' && settings.mediaTypes?.some((one) => one === type));
  const body = { name, type: type as 'video', templateId: 1, formats: original ? [{ formatId: original.id }] : [] };
  return (await api.POST('/v5/playerconfiguration', { body })).data.id;
}

/** `embed` for a page; what shows links is loaded again. */
export function useEmbedding(name: string) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async (container: Pick<Container, 'id' | 'type'>) => await embed(container, name),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ['player-configurations'] });
      await queries.invalidateQueries({ queryKey: ['embed-links'] });
    },
  });
}

/** Uploads a sample and embeds it: all three steps at once. */
export function useSample(configurationName: string) {
  const queries = useQueryClient();
  const { mutateAsync } = useEmbedding(configurationName);
  return useMutation({
    mutationFn: async (url: string) => {
      const name = decodeURIComponent(url.slice(url.lastIndexOf('/') + 1));
      const answer = await fetch(new URL(url).pathname);
      if (!answer.ok) throw new Error(`${url}: ${answer.status}`);
      const file = new File([await answer.blob()], name);
      const { items } = await api.upload([file]);
      const id = items[0]?.mediaContainerId as number;
      const { data: container } = await api.GET('/v5/mediacontainer/{id}', { params: { path: { id } } });
      await mutateAsync(container);
    },
    onSettled: async () => await refreshMedia(queries),
  });
}
