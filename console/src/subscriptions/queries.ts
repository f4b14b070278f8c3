import type { components } from '@media-delivery/sdk';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { usePages } from '../elements/use-pages';
import { versionOf } from '../elements/version';
import { keys } from '../query-keys';
import { api } from '../session';

type Schemas = components['schemas'];
export type Subscription = Schemas['SubscriptionResponse'];
export type SubscriptionFields = Schemas['SubscriptionFieldsDto'];
export type LogEntry = Schemas['LogEntryResponse'];
export type SuspectedEvent = Schemas['SuspectedEventDto'];

/** Attempts of one request. */
const PAGE = 50;

export const useSubscriptions = () =>
  useQuery({
    queryKey: keys.subscriptions.lists,
    queryFn: async ({ signal }) => (await api.GET('/v5/subscriptions', { signal })).data,
  });

const path = (id: number) => ({ path: { idOrTemplate: id } });

/** Reads a subscription with its version. */
export const readSubscription = async (id: number) =>
  versionOf(await api.GET('/v5/subscriptions/{idOrTemplate}', { params: { ...path(id), query: { limit: 1 } } }));

export const useSubscription = (id: number) =>
  useQuery({ queryKey: keys.subscriptions.one(id), queryFn: async () => await readSubscription(id) });

/** Creates a subscription, once for each key. */
export const createSubscription = async (body: SubscriptionFields, key: string) =>
  versionOf(await api.POST('/v5/subscriptions', { params: { header: { 'Idempotency-Key': key } }, body }));

/** Replaces a subscription whose version is still the current one. */
export const replaceSubscription = async (id: number, body: SubscriptionFields, etag: string) =>
  versionOf(await api.PUT('/v5/subscriptions/{idOrTemplate}', { params: { ...path(id), header: { 'If-Match': etag } }, body }));

/** Creates a subscription from a template, once for each key. */
export const createFromTemplate = async (template: string, payload: Record<string, unknown>, key: string) => {
  const params = { path: { idOrTemplate: template }, header: { 'Idempotency-Key': key } };
  return (await api.POST('/v5/subscriptions/{idOrTemplate}', { params, body: { payload } })).data;
};

export function useDeleteSubscription(id: number) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async () => void (await api.DELETE('/v5/subscriptions/{idOrTemplate}', { params: path(id) })),
    onSuccess: async () => {
      queries.removeQueries({ queryKey: keys.subscriptions.one(id) });
      await queries.invalidateQueries({ queryKey: keys.subscriptions.lists });
    },
  });
}

/** The attempts of a subscription, newest first. */
export const useAttempts = (id: number) =>
  usePages(
    keys.subscriptions.attempts(id),
    async (page, signal) => {
      const params = { ...path(id), query: { limit: PAGE, ...page } };
      const { data, response } = await api.GET('/v5/subscriptions/{idOrTemplate}', { params, signal });
      return { data: data.logs, response };
    },
    { refetchInterval: () => 3_000 }, // attempts are made in the background
  );

/** Repeats an attempt with the same message id. */
export function useReplay(id: number) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async (logId: number) =>
      (await api.POST('/v5/subscriptions/{id}/replay', { params: { path: { id } }, body: { logId } })).data,
    onSuccess: async () => await queries.invalidateQueries({ queryKey: keys.subscriptions.attempts(id) }),
  });
}

/** Asks which subscriptions would act on an event. */
export const useDryRun = () =>
  useMutation({ mutationFn: async (event: SuspectedEvent) => (await api.POST('/v5/subscriptions/dryRun', { body: { event } })).data });
