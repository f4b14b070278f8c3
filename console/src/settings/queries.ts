import type { components } from '@media-delivery/sdk';
import { useQuery } from '@tanstack/react-query';
import { versionOf } from '../elements/version';
import { keys } from '../query-keys';
import { api } from '../session';

type Changes = components['schemas']['UpdateCustomerDto'];

/** Reads the customer with its version. */
export const readCustomer = async () => versionOf(await api.GET('/v5/customer'));

export const useCustomer = () => useQuery({ queryKey: keys.own.customerVersion, queryFn: readCustomer, staleTime: 0 });

/** Changes the customer, on condition that nothing has changed since the version. */
export const changeCustomer = async (body: Changes, etag: string) =>
  versionOf(await api.PUT('/v5/customer', { params: { header: { 'If-Match': etag } }, body }));

/** What a customer uses of its quotas, and what it has stored; by default the own one. */
export const useUsage = (customerId?: number) =>
  useQuery({
    queryKey: keys.usage(customerId),
    queryFn: async ({ signal }) => {
      const query = customerId === undefined ? {} : { customerId };
      return (await api.GET('/v5/customer/usage', { params: { query }, signal })).data;
    },
  });
