import { Alert, Button, Stack, Text, Title } from '@mantine/core';
import { ProblemError } from '@media-delivery/sdk';
import { type ErrorComponentProps } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { messages } from '../language';
import { confirmIdentity } from '../session';
import { TextLink } from './links';

const useMessages = messages({
  en: {
    notFound: 'This page does not exist',
    toLibrary: 'To the library',
    failed: 'This could not be loaded',
    again: 'Try again',
    confirmTitle: 'Confirm that it is you',
    confirmText:
      'This change needs a sign-in within the last 5 minutes, with your second factor if you have one. You come back to this page; then repeat the change.',
    confirm: 'Confirm',
  },
  de: {
    notFound: 'Diese Seite gibt es nicht',
    toLibrary: 'Zur Mediathek',
    failed: 'Das konnte nicht geladen werden',
    again: 'Erneut versuchen',
    confirmTitle: 'Bestätigen Sie, dass Sie es sind',
    confirmText:
      'Für diese Änderung müssen Sie sich in den letzten 5 Minuten angemeldet haben, mit Ihrem zweiten Faktor, falls Sie einen haben. Sie kommen auf diese Seite zurück; wiederholen Sie dann die Änderung.',
    confirm: 'Bestätigen',
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
  if (isUnconfirmed(error)) return <Confirmation />;
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

/** Whether a change was refused until the person confirms that it is them. */
export const isUnconfirmed = (error: unknown): boolean => error instanceof ProblemError && error.code === 'confirmation_required';

/** Leads to the confirmation, and back to this page. */
export function Confirmation() {
  const text = useMessages();
  return (
    <Alert color="yellow" title={text.confirmTitle} role="alert">
      <Stack align="flex-start" gap="xs">
        <Text size="sm">{text.confirmText}</Text>
        <Button size="xs" onClick={confirmIdentity}>
          {text.confirm}
        </Button>
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
