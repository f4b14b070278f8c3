import { Alert, Group, Skeleton, Stack, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { ButtonLink } from '../elements/links';
import { NotFound } from '../elements/page-states';
import { ADMINISTRATOR } from '../shell/levels';
import { useMe } from '../shell/me';
import { SECTIONS, type Section, useMessages } from './team.messages';

/** Shows a page to administrators only, and reports to support staff that they cannot change it. */
export function AdministratorsOnly({ children }: { children: ReactNode }) {
  const text = useMessages();
  const { adminLevel, isKnown, isSupport } = useMe();
  if (!isKnown) return <Skeleton height={320} radius="md" role="status" aria-busy="true" aria-label={text.loading} />;
  if (adminLevel < ADMINISTRATOR) return <NotFound />;
  return (
    <Stack>
      {isSupport && <Alert role="status">{text.support}</Alert>}
      {children}
    </Stack>
  );
}

/** What the lists of the team have in common: its title, and the way to the other lists. */
export function TeamFrame({ section, children }: { section: Section; children: ReactNode }) {
  const text = useMessages();
  return (
    <AdministratorsOnly>
      <Title order={1} size="h2">
        {text.title}
      </Title>
      <Group component="nav" gap="xs" aria-label={text.pages}>
        {SECTIONS.map((one) => (
          <ButtonLink
            key={one}
            to={addressOf(one)}
            size="compact-sm"
            variant={one === section ? 'filled' : 'default'}
            aria-current={one === section ? 'page' : undefined}
          >
            {text.sections[one]}
          </ButtonLink>
        ))}
      </Group>
      {children}
    </AdministratorsOnly>
  );
}

const addressOf = (section: Section) => (section === 'people' ? '/team' : `/team/${section}`);
