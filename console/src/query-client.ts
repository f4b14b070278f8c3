import { ProblemError } from '@media-delivery/sdk';
import { QueryClient } from '@tanstack/react-query';

/** Reading is tried again after a lost connection or an error of the server, after 1, 2 and 4 seconds; other answers are final. */
const isFinal = (error: unknown): boolean => error instanceof ProblemError && error.status >= 400 && error.status < 500;

export const queryClient = new QueryClient({
  defaultOptions: {
    // Also while the browser says that it is offline: the page then says that the service cannot be reached, and offers to try again.
    queries: {
      staleTime: 30_000,
      retry: (count, error) => count < 3 && !isFinal(error),
      networkMode: 'always',
      refetchOnReconnect: true,
    },
    // A change is repeated by the person only, who sees that it failed.
    mutations: { retry: false, networkMode: 'always' },
  },
});
