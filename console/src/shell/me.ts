import { useQuery } from '@tanstack/react-query';
import { api, session } from '../session';

/** The signed-in person, their customer, and their level. */
export function useMe() {
  const { data: person } = useQuery({
    queryKey: ['userinfo'],
    queryFn: async () => (await api.GET('/v4/userinfo')).data,
    staleTime: Infinity,
  });
  const { data: customer } = useQuery({ queryKey: ['customer'], queryFn: async () => (await api.GET('/v5/customer')).data });
  const { data: user } = useQuery({ queryKey: ['token-user'], queryFn: async () => (await session()).tokens.user, staleTime: Infinity });
  return { person, customer, adminLevel: user?.adminLevel ?? 0 };
}
