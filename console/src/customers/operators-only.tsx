import { Skeleton, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { NotFound } from '../elements/page-states';
import { useMessages } from './customers.messages';
import { useIsOperator } from './queries';

/** Shows a page to operators only. */
export function OperatorsOnly({ children }: { children: ReactNode }) {
  const text = useMessages();
  const isOperator = useIsOperator();
  if (isOperator === undefined) return <Skeleton height={320} radius="md" role="status" aria-busy="true" aria-label={text.loading} />;
  return isOperator ? <Stack>{children}</Stack> : <NotFound />;
}
