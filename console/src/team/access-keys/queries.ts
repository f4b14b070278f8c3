import type { components } from '@media-delivery/sdk';
import { usePages } from '../../elements/use-pages';
import { keys } from '../../query-keys';
import { api } from '../../session';

export type AccessKey = components['schemas']['AccessKeyResponse'];

/** Keys of one request. */
const PAGE = 100;

/** The access keys of the customer, or of one user. */
export const useAccessKeys = (userId?: number) =>
  usePages(keys.accessKeys.list(userId), async (page, signal) => {
    const query = { limit: PAGE, ...page, ...(userId !== undefined && { userId }) };
    return await api.GET('/v5/accessKey', { params: { query }, signal });
  });

/** Creates a key that acts as a user, and returns it with its secret. */
export const createAccessKey = async (userId: number) => (await api.POST('/v5/accessKey', { body: { userId } })).data;

/** Deletes a key, which ends its signatures at once. */
export const deleteAccessKey = async (id: number) => void (await api.DELETE('/v5/accessKey/{id}', { params: { path: { id } } }));
