import type { components } from '@media-delivery/sdk';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { usePages } from '../../elements/use-pages';
import { versionOf } from '../../elements/version';
import { keys } from '../../query-keys';
import { api } from '../../session';

type Schemas = components['schemas'];
export type IdentityProvider = Schemas['IdentityProviderResponse'];
export type NewIdentityProvider = Schemas['CreateIdentityProviderDto'];
export type IdentityProviderChanges = Schemas['IdentityProviderChangesDto'];
/** An identity provider as it was saved, and why certificates of its metadata are not used. */
export type SavedIdentityProvider = Schemas['ConfiguredIdentityProviderResponse'];

/** Identity providers of one request. */
const PAGE = 100;

export const useIdentityProviders = () =>
  usePages(keys.identityProviders.lists, async (page, signal) => {
    return await api.GET('/v5/identityProvider', { params: { query: { limit: PAGE, ...page } }, signal });
  });

/** Reads an identity provider with its version. */
export const readIdentityProvider = async (id: number) =>
  versionOf(await api.GET('/v5/identityProvider/{id}', { params: { path: { id } } }));

export const useIdentityProvider = (id: number) =>
  useQuery({ queryKey: keys.identityProviders.one(id), queryFn: async () => await readIdentityProvider(id) });

export const createIdentityProvider = async (body: NewIdentityProvider, idempotencyKey: string) =>
  versionOf(await api.POST('/v5/identityProvider', { params: { header: { 'Idempotency-Key': idempotencyKey } }, body }));

/** Changes an identity provider whose version is still the current one. */
export const changeIdentityProvider = async (id: number, body: IdentityProviderChanges, etag: string) =>
  versionOf(await api.PUT('/v5/identityProvider/{id}', { params: { path: { id }, header: { 'If-Match': etag } }, body }));

export function useDeleteIdentityProvider(id: number) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async () => void (await api.DELETE('/v5/identityProvider/{id}', { params: { path: { id } } })),
    onSuccess: async () => {
      queries.removeQueries({ queryKey: keys.identityProviders.one(id) });
      await queries.invalidateQueries({ queryKey: keys.identityProviders.lists });
    },
  });
}
