import { Button, Group, Skeleton, Stack, Text, Title } from '@mantine/core';
import { ProblemError } from '@media-delivery/sdk';
import type { ReactNode } from 'react';
import { messages } from '../language';
import { Failure, NotFound } from './page-states';

const useMessages = messages({
  en: { loading: 'Loading', more: 'Show more' },
  de: { loading: 'Wird geladen', more: 'Mehr anzeigen' },
});

interface HeadProps {
  readonly title: string;
  /** What the page is for. */
  readonly intro?: string | undefined;
  /** Filters and buttons. */
  readonly children?: ReactNode;
}

/** The title of a page, with its filters and buttons beside it, or below it on a narrow screen. */
export function PageHead({ title, intro, children }: HeadProps) {
  return (
    <Group justify="space-between" align="flex-end">
      <div>
        <Title order={1} size="h2">
          {title}
        </Title>
        {intro && <Text>{intro}</Text>}
      </div>
      {children && <Group align="flex-end">{children}</Group>}
    </Group>
  );
}

/** The state of a query, of one page or of several. */
export interface Found {
  readonly isError: boolean;
  readonly isPending: boolean;
  readonly error: unknown;
  readonly refetch: () => unknown;
  readonly hasNextPage?: boolean;
  readonly isFetchingNextPage?: boolean;
  readonly fetchNextPage?: () => unknown;
}

interface ResultsProps {
  readonly found: Found;
  /** Shown instead of `children` if nothing was found. */
  readonly empty?: ReactNode;
  readonly isEmpty?: boolean;
  /** Shown while it is loaded; by default a placeholder as high as a few rows. */
  readonly placeholder?: ReactNode;
  readonly children: ReactNode;
}

/** What a query found, in all states: loading, failed, empty, found, with more to load. What was found before stays when loading it again fails. */
export function Results({ found, empty, isEmpty = false, placeholder, children }: ResultsProps) {
  const text = useMessages();
  const { isError, isPending, error, refetch, hasNextPage, isFetchingNextPage = false, fetchNextPage } = found;
  const isLoaded = !isPending && !(isError && isEmpty);
  return (
    <>
      {isError && <Failure error={error} onRetry={() => void refetch()} />}
      {isPending &&
        !isError &&
        (placeholder ?? <Skeleton height={200} radius="md" role="status" aria-busy="true" aria-label={text.loading} />)}
      {isLoaded && (isEmpty ? empty : children)}
      {isLoaded && hasNextPage && (
        <Button variant="default" mx="auto" loading={isFetchingNextPage} onClick={() => void fetchNextPage?.()}>
          {text.more}
        </Button>
      )}
    </>
  );
}

/** A page that lists what the customer has: its head, and the results. */
export function ListPage({ title, intro, controls, ...results }: Omit<HeadProps, 'children'> & ResultsProps & { controls?: ReactNode }) {
  return (
    <Stack>
      <PageHead title={title} intro={intro}>
        {controls}
      </PageHead>
      <Results {...results} />
    </Stack>
  );
}

interface LoadedProps<Data> {
  readonly found: Found & { readonly data: Data | undefined };
  readonly children: (data: Data) => ReactNode;
}

/** What depends on one resource, which may not exist. It stays, with what was typed into it, when loading the resource again fails. */
export function Loaded<Data>({ found, children }: LoadedProps<Data>) {
  const text = useMessages();
  const { data, isError, error, refetch } = found;
  if (data === undefined && error instanceof ProblemError && error.status === 404) return <NotFound />;
  return (
    <>
      {isError && <Failure error={error} onRetry={() => void refetch()} />}
      {data === undefined
        ? !isError && <Skeleton height={320} radius="md" role="status" aria-busy="true" aria-label={text.loading} />
        : children(data)}
    </>
  );
}
