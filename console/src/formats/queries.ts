import type { components } from '@media-delivery/sdk';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { versionOf } from '../elements/version';
import { keys } from '../query-keys';
import { api } from '../session';

export type Format = components['schemas']['FormatResponse'];
export type NewFormat = components['schemas']['CreateFormatDto'];
export type FormatChanges = components['schemas']['FormatChangesDto'];
export type Explanation = components['schemas']['ExplainedFormatResponse'];

/** Reads the customer's own formats and the blueprints. */
export const readFormats = async (signal?: AbortSignal) => (await api.GET('/v5/format', { ...(signal && { signal }) })).data;

/** The customer's own formats and the blueprints. */
export const useFormatList = () => useQuery({ queryKey: keys.formats.lists, queryFn: async ({ signal }) => await readFormats(signal) });

/** Reads a format with its version. */
export const readFormat = async (id: number) => versionOf(await api.GET('/v5/format/{id}', { params: { path: { id } } }));

export const useFormat = (id: number) => useQuery({ queryKey: keys.formats.one(id), queryFn: async () => await readFormat(id) });

/** Creates a format, once for each key. */
export const createFormat = async (body: NewFormat, key: string) =>
  versionOf(await api.POST('/v5/format', { params: { header: { 'Idempotency-Key': key } }, body }));

/** Changes a format whose version is still the current one. */
export const changeFormat = async (id: number, body: FormatChanges, etag: string) =>
  versionOf(await api.PUT('/v5/format/{id}', { params: { path: { id }, header: { 'If-Match': etag } }, body }));

/** Destroys a format, with its media items if wanted. */
export function useDestroyFormat(id: number) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async (forceDelete: boolean) =>
      (await api.DELETE('/v5/format/{id}', { params: { path: { id }, query: { forceDelete } } })).data,
    onSuccess: async () => {
      queries.removeQueries({ queryKey: keys.formats.one(id) });
      await queries.invalidateQueries({ queryKey: keys.formats.lists });
    },
  });
}

/** Where each parameter of a format comes from, and with an original the commands that make it. */
export const useExplanation = (id: number, mediaId: number | undefined) =>
  useQuery({
    queryKey: keys.formats.explanation(id, mediaId),
    queryFn: async ({ signal }) =>
      (await api.GET('/v5/format/{id}/explain', { params: { path: { id }, query: mediaId === undefined ? {} : { mediaId } }, signal }))
        .data,
  });

/** Makes a format of a medium; returns the id of the job. */
export function useTranscoding(formatId: number) {
  return useMutation({
    mutationFn: async (mediaContainerId: number) => {
      const params = { path: { id: mediaContainerId } };
      const { data } = await api.POST('/v5/mediacontainer/{id}/transcode', { params, body: { formatIds: [formatId] } });
      return data.jobs[0]?.jobId;
    },
  });
}

/** What has become of a job; it is read again every second while the job runs. */
export const useJobResult = (jobId: string | undefined) =>
  useQuery({
    queryKey: keys.activity.result(jobId),
    enabled: jobId !== undefined,
    queryFn: async ({ signal }) =>
      (await api.GET('/v5/activity/jobResult/{jobId}', { params: { path: { jobId: jobId as string } }, signal })).data,
    refetchInterval: ({ state }) => (state.data && 'status' in state.data ? false : 1_000),
  });

/** The address of the bytes of an item. */
export const useItemUrl = (id: number, mediaId: number) =>
  useQuery({
    queryKey: keys.media.itemUrl(id, mediaId),
    queryFn: async ({ signal }) =>
      (await api.GET('/v5/mediacontainer/{id}/media/{mediaId}/url', { params: { path: { id, mediaId } }, signal })).data.url,
  });
