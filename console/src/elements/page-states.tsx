import { Alert, Button, Stack, Text, Title } from '@mantine/core';
import { ProblemError } from '@media-delivery/sdk';
import { type ErrorComponentProps } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { messages } from '../language';
import { TextLink } from './links';

const useMessages = messages({
  en: {
    notFound: 'This page does not exist',
    toLibrary: 'To the library',
    failed: 'This could not be loaded',
    again: 'Try again',
  },
  de: {
    notFound: 'Diese Seite gibt es nicht',
    toLibrary: 'Zur Mediathek',
    failed: 'Das konnte nicht geladen werden',
    again: 'Erneut versuchen',
  },
});

/** What a person reads about an error: the explanation of the service, which names what to do. */
export const explain = (error: unknown): string =>
  error instanceof ProblemError ? error.detail : error instanceof Error ? error.message : String(error);

export function NotFound() {
  const text = useMessages();
  return (
    <Stack align="center" py="xl">
      <Title order={1}>{text.notFound}</Title>
      <TextLink to="/">{text.toLibrary}</TextLink>
    </Stack>
  );
}

export function PageError({ error, reset }: ErrorComponentProps) {
  return <Failure error={error} onRetry={reset} />;
}

/** An error in the place of what it concerns, with a button that tries again. */
export function Failure({ error, onRetry }: { error: unknown; onRetry?: () => void }) {
  const text = useMessages();
  return (
    <Alert color="red" title={text.failed} role="alert">
      <Stack align="flex-start" gap="xs">
        <Text size="sm" className="foreign">
          {explain(error)}
        </Text>
        {onRetry && (
          <Button variant="default" size="xs" onClick={onRetry}>
            {text.again}
          </Button>
        )}
      </Stack>
    </Alert>
  );
}

/** What a page says where there is nothing to show, and what can be done about it. */
export function Empty({ title, order = 2, children }: { title: string; order?: 1 | 2 | 3; children?: ReactNode }) {
  return (
    <Stack align="center" py={64} gap="xs">
      <Title order={order} size={order === 3 ? 'h4' : 'h3'}>
        {title}
      </Title>
      {children}
    </Stack>
  );
}
