import { type components, limits } from '@media-delivery/sdk';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useAllPages, usePages } from '../../elements/use-pages';
import { versionOf } from '../../elements/version';
import { keys } from '../../query-keys';
import { api } from '../../session';

type Schemas = components['schemas'];
export type Person = Schemas['UserResponse'];
export type NewPerson = Schemas['CreateUserDto'];
export type PersonChanges = Schemas['UserChangesDto'];
export type BrowserSession = Schemas['UserSessionResponse'];

/** All people and services of a customer, by default the own one. */
export const usePeople = (customerId?: number) =>
  useAllPages(keys.people.list(customerId), (signal) =>
    api.pages('/v5/user', { limit: limits['GET /v5/user'].limit.maximum, ...(customerId !== undefined && { customerId }) }, { signal }),
  );

/** Reads a person with their version. */
export const readPerson = async (id: number) => versionOf(await api.GET('/v5/user/{id}', { params: { path: { id } } }));

export const usePerson = (id: number) => useQuery({ queryKey: keys.people.one(id), queryFn: async () => await readPerson(id) });

/** Creates a user; a person is invited by mail. */
export const createPerson = async (body: NewPerson, idempotencyKey: string) =>
  versionOf(await api.POST('/v5/user', { params: { header: { 'Idempotency-Key': idempotencyKey } }, body }));

/** Changes a person whose version is still the current one. */
export const changePerson = async (id: number, body: PersonChanges, etag: string) =>
  versionOf(await api.PUT('/v5/user/{id}', { params: { path: { id }, header: { 'If-Match': etag } }, body }));

/** A change of a person after which lists and the person are read again. */
function usePersonMutation(act: () => Promise<unknown>) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: act,
    onSuccess: async () =>
      await Promise.all([keys.people.all, keys.audit.all].map(async (queryKey) => await queries.invalidateQueries({ queryKey }))),
  });
}

const ofId = (id: number) => ({ params: { path: { id } } });

export const useDisable = (id: number) => usePersonMutation(async () => await api.POST('/v5/user/{id}/disable', ofId(id)));

export const useEnable = (id: number) => usePersonMutation(async () => await api.POST('/v5/user/{id}/enable', ofId(id)));

/** Mails the invitation again. */
export const useInvite = (id: number) => usePersonMutation(async () => await api.POST('/v5/user/{id}/invite', ofId(id)));

/** Mails the person a link with which they remove their second factors. */
export const useResetSecondFactor = (id: number) =>
  usePersonMutation(async () => await api.POST('/v5/user/{id}/resetSecondFactor', ofId(id)));

/** Erases a person. */
export function useDeletePerson(id: number) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async () => void (await api.DELETE('/v5/user/{id}', ofId(id))),
    onSuccess: async () => {
      queries.removeQueries({ queryKey: keys.people.one(id) });
      await Promise.all(
        [keys.people.lists, keys.accessKeys.all, keys.audit.all].map(async (queryKey) => await queries.invalidateQueries({ queryKey })),
      );
    },
  });
}

/** Sessions of one request. */
const SESSIONS = 50;

/** The browsers in which a person is signed in. */
export const useSessions = (id: number) =>
  usePages(keys.people.sessions(id), async (page, signal) => {
    return await api.GET('/v5/user/{id}/sessions', { params: { path: { id }, query: { limit: SESSIONS, ...page } }, signal });
  });

/** Ends one session of a person, or all with the tokens of applications. */
export function useEndSessions(id: number) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async (sessionId: string | 'all') => {
      if (sessionId === 'all') await api.DELETE('/v5/user/{id}/sessions', ofId(id));
      else await api.DELETE('/v5/user/{id}/sessions/{sessionId}', { params: { path: { id, sessionId } } });
    },
    onSuccess: async () => await queries.invalidateQueries({ queryKey: keys.people.one(id) }),
  });
}
