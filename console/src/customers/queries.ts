import type { components } from '@media-delivery/sdk';
import { useQuery } from '@tanstack/react-query';
import { usePages } from '../elements/use-pages';
import { versionOf } from '../elements/version';
import { keys } from '../query-keys';
import { api } from '../session';
import { OPERATOR } from '../shell/levels';
import { useMe } from '../shell/me';
import type { CustomersSearch } from './customers-search';

type Schemas = components['schemas'];
export type Customer = Schemas['AdministeredCustomerResponse'];
export type NewCustomer = Schemas['CreateCustomerDto'];
export type CustomerChanges = Schemas['CustomerChangesDto'];

/** Customers of one request. */
const PAGE = 100;

/** Whether the person administers all customers: of those with the level, only the operator's people may read them. Undefined: not known yet. */
export function useIsOperator(): boolean | undefined {
  const { adminLevel, isKnown, isSupport } = useMe();
  const hasLevel = adminLevel >= OPERATOR && !isSupport;
  const { data, isError } = useQuery({
    queryKey: keys.customers.isOperator,
    enabled: hasLevel,
    staleTime: Infinity,
    queryFn: async ({ signal }) => (await api.GET('/v5/customers', { params: { query: { limit: 1 } }, signal })).data.length > 0,
  });
  if (!isKnown) return undefined;
  return hasLevel && !isError ? data : false;
}

/** The customers of the service, or those whose name contains what is searched for. */
export const useCustomers = (search: CustomersSearch) =>
  usePages(keys.customers.list(search), async (page, signal) => {
    return await api.GET('/v5/customers', { params: { query: { limit: PAGE, ...search, ...page } }, signal });
  });

/** Reads a customer with its version. */
export const readCustomer = async (id: number) => versionOf(await api.GET('/v5/customers/{id}', { params: { path: { id } } }));

export const useCustomer = (id: number) => useQuery({ queryKey: keys.customers.one(id), queryFn: async () => await readCustomer(id) });

/** Creates a customer, which has no people yet. */
export const createCustomer = async (body: NewCustomer, idempotencyKey: string) =>
  versionOf(await api.POST('/v5/customers', { params: { header: { 'Idempotency-Key': idempotencyKey } }, body }));

/** Changes a customer whose version is still the current one. */
export const changeCustomer = async (id: number, body: CustomerChanges, etag: string) =>
  versionOf(await api.PUT('/v5/customers/{id}', { params: { path: { id }, header: { 'If-Match': etag } }, body }));
