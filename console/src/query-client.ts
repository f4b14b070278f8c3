import { ProblemError } from '@media-delivery/sdk';
import { QueryClient } from '@tanstack/react-query';

/** A lost connection is tried again; an answer of the service is final. */
const isFinal = (error: unknown): boolean => error instanceof ProblemError && error.status >= 400 && error.status < 500;

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: { staleTime: 30_000, retry: (count, error) => count < 3 && !isFinal(error) },
  },
});
