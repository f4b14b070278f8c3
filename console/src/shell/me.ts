import { useQuery } from '@tanstack/react-query';
import { keys } from '../query-keys';
import { api, session } from '../session';

/** The signed-in person, their customer, and their level; `isSupport`: support staff act for the person, and may not change everything. */
export function useMe() {
  const { data: person } = useQuery({
    queryKey: keys.own.userinfo,
    queryFn: async () => (await api.GET('/v4/userinfo')).data,
    staleTime: Infinity,
  });
  const { data: customer } = useQuery({ queryKey: keys.own.customer, queryFn: async () => (await api.GET('/v5/customer')).data });
  const { data: tokens } = useQuery({
    queryKey: keys.own.tokens,
    queryFn: async () => {
      const { user, supportUserId } = (await session()).tokens;
      return { user: user ?? null, supportUserId: supportUserId ?? null };
    },
    staleTime: Infinity,
  });
  return {
    person,
    customer,
    userId: tokens?.user?.id,
    adminLevel: tokens?.user?.adminLevel ?? 0,
    isKnown: tokens !== undefined,
    isSupport: tokens?.supportUserId != null,
  };
}
