import { Text } from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { TeamFrame } from '../team-frame';
import { useMessages } from './people.messages';
import { PeopleList } from './people-list';
import type { PeopleSearch } from './people-search';

/** The people of the customer. */
export function PeoplePage() {
  const text = useMessages();
  const search: PeopleSearch = useSearch({ strict: false });
  const navigate = useNavigate();
  return (
    <TeamFrame section="people">
      <Text>{text.intro}</Text>
      <PeopleList search={search} onChange={(changed) => void navigate({ to: '/team', search: changed, replace: true })} />
    </TeamFrame>
  );
}
