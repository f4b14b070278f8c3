import { useCallback, useRef } from 'react';

/**
 * Returns a function that returns the `Idempotency-Key` for an input: the same key while the same input is sent again, so that repeating a request whose
 * response was lost creates nothing twice.
 */
export function useIdempotencyKey(): (input: unknown) => string {
  const last = useRef({ input: '', key: '' });
  return useCallback((value: unknown) => {
    const input = JSON.stringify(value);
    if (input !== last.current.input || last.current.key === '') last.current = { input, key: crypto.randomUUID() };
    return last.current.key;
  }, []);
}
