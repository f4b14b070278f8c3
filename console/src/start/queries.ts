import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useIdempotencyKey } from '../elements/idempotency-key';
import { type Format, readFormats, useFormatList } from '../formats/queries';
import { type Container, refreshMedia } from '../library/queries';
import { createEmbedLink } from '../medium/queries';
import { createConfiguration, type NewConfiguration, readConfigurations } from '../player-configurations/queries';
import { keys } from '../query-keys';
import { api } from '../session';

/** The newest medium; null: the customer has none. */
export const useNewestMedium = () =>
  useQuery({
    queryKey: keys.media.newest,
    queryFn: async ({ signal }) => {
      const { data } = await api.GET('/v5/mediacontainer', { params: { query: { limit: 1 } }, signal });
      return data[0] ?? null;
    },
    // The file of a medium arrives after the medium is announced; its picture is made within seconds.
    refetchInterval: ({ state }) => (state.data && !isReady(state.data) && isFresh(state.data) ? POLL_MS : false),
  });

const POLL_MS = 2_000;
/** A file has arrived, and its picture is made, within this time, or something is wrong. */
const FRESH_MS = 120_000;

const isFresh = ({ createdAt }: Container): boolean => Date.now() - Date.parse(createdAt) < FRESH_MS;

const isReady = ({ media, preview }: Container): boolean => media.some(({ status }) => status === 'successful') && preview !== null;

/** The addresses of the sample media, which a service in development offers to browsers on its machine. */
export const useSamples = () =>
  useQuery({
    queryKey: keys.samples,
    staleTime: Infinity,
    queryFn: async ({ signal }): Promise<readonly string[]> => {
      const answer = await fetch('/', { headers: { accept: 'application/json' }, signal });
      const { samples } = (await answer.json()) as { readonly samples?: readonly string[] };
      return samples ?? [];
    },
  });

/** Why formats cannot be made here, and of how many that is true. */
export function useMissingPrograms() {
  const { data: formats = [] } = useFormatList();
  const counts = new Map<string, number>();
  // A format of a tool of the operator needs a declaration instead of a program.
  const lacking = formats.filter(({ converter }) => converter !== 'cli');
  for (const { unavailableReason: reason } of lacking) if (reason) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  return [...counts].map(([reason, count]) => ({ reason, count }));
}

/** Creates an embed link of a medium with a player configuration for its type, which is created if there is none yet. */
async function embed({ id, type }: Pick<Container, 'id' | 'type'>, name: string, keyOf: (input: unknown) => string) {
  const existing = (await readConfigurations()).find((configuration) => configuration.type === type);
  if (existing) return await createEmbedLink(id, existing.id);
  const body = await openConfiguration(type, name);
  const { value: created } = await createConfiguration(body, keyOf(body));
  return await createEmbedLink(id, created.id);
}

/** A configuration that delivers the uploaded file to everyone. */
async function openConfiguration(type: Container['type'], name: string): Promise<NewConfiguration> {
  const formats = await readFormats();
  const original = formats.find(({ converter, settings }) => converter === 'original' && settings.mediaTypes?.some((one) => one === type));
  return { name, type: type as 'video', templateId: 1, formats: original ? [{ formatId: original.id }] : [] };
}

/** `embed` for a page; what shows links is loaded again. */
export function useEmbedding(name: string) {
  const queries = useQueryClient();
  const keyOf = useIdempotencyKey();
  return useMutation({
    mutationFn: async (container: Pick<Container, 'id' | 'type'>) => await embed(container, name, keyOf),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: keys.playerConfigurations.all });
      await queries.invalidateQueries({ queryKey: keys.embedLinks.all });
    },
  });
}

/** The managed formats that make the picture of a medium; pictures are their own. */
const PREVIEW_FORMATS: Partial<Record<Container['type'], string>> = { video: 'Video poster', document: 'Document page', audio: 'Waveform' };

/** The format that makes the picture of media of a type; undefined: this installation cannot make it, or the type needs none. */
export const previewFormatOf = (type: Container['type'], formats: readonly Format[]): Format | undefined =>
  formats.find(({ name, isBlueprint, available }) => isBlueprint && available && name === PREVIEW_FORMATS[type]);

/** Makes the picture of a medium; returns the id of the job. */
export function usePreviewing() {
  return useMutation({
    mutationFn: async ({ id, formatId }: { id: number; formatId: number }) => await makePreview(id, formatId),
  });
}

async function makePreview(id: number, formatId: number): Promise<string | undefined> {
  const { data } = await api.POST('/v5/mediacontainer/{id}/transcode', { params: { path: { id } }, body: { formatIds: [formatId] } });
  return data.jobs[0]?.jobId;
}

/** Uploads a sample, has its picture made and embeds it: all three steps at once. */
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
      const format = previewFormatOf(container.type, await readFormats());
      if (format) await makePreview(id, format.id);
      await mutateAsync(container);
    },
    onSettled: async () => await refreshMedia(queries),
  });
}
