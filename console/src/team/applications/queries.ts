import type { components } from '@media-delivery/sdk';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { usePages } from '../../elements/use-pages';
import { versionOf } from '../../elements/version';
import { keys } from '../../query-keys';
import { api } from '../../session';

type Schemas = components['schemas'];
export type Application = Schemas['ClientResponse'];
export type NewApplication = Schemas['CreateClientDto'];
export type ApplicationChanges = Schemas['ClientChangesDto'];
/** An application as it was created or changed; with its secret if one was generated. */
export type SavedApplication = Schemas['CreatedClientResponse'];

/** Applications of one request; a customer has at most 100. */
const PAGE = 100;

export const useApplications = () =>
  usePages(
    keys.applications.lists,
    async (page, signal) => await api.GET('/v5/client', { params: { query: { limit: PAGE, ...page } }, signal }),
  );

/** Reads an application with its version. */
export const readApplication = async (id: number) => versionOf(await api.GET('/v5/client/{id}', { params: { path: { id } } }));

export const useApplication = (id: number) =>
  useQuery({ queryKey: keys.applications.one(id), queryFn: async () => await readApplication(id) });

export const createApplication = async (body: NewApplication, idempotencyKey: string) =>
  versionOf(await api.POST('/v5/client', { params: { header: { 'Idempotency-Key': idempotencyKey } }, body }));

/** Changes an application whose version is still the current one. */
export const changeApplication = async (id: number, body: ApplicationChanges, etag: string) =>
  versionOf(await api.PUT('/v5/client/{id}', { params: { path: { id }, header: { 'If-Match': etag } }, body }));

/** Replaces the secret of an application and returns the new one; the previous one stays valid for `keepOldSeconds`. */
export const rotateSecret = async (id: number, keepOldSeconds: number) =>
  (await api.POST('/v5/client/{id}/rotateSecret', { params: { path: { id } }, body: { keepOldSeconds } })).data;

/** Deletes an application with its authorizations. */
export function useDeleteApplication(id: number) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async () => void (await api.DELETE('/v5/client/{id}', { params: { path: { id } } })),
    onSuccess: async () => {
      queries.removeQueries({ queryKey: keys.applications.one(id) });
      await queries.invalidateQueries({ queryKey: keys.applications.lists });
    },
  });
}
