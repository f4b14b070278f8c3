import { Alert, Card, Group, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { TextLink } from '../../elements/links';
import { Loaded } from '../../elements/list-page';
import type { Version } from '../../elements/version';
import { useFormats } from '../../language';
import { keys } from '../../query-keys';
import { useMe } from '../../shell/me';
import { AccessKeys } from '../access-keys/access-keys';
import { AdministratorsOnly } from '../team-frame';
import { useMessages } from './people.messages';
import { PersonBadges } from './people-list';
import type { NewPersonSearch } from './people-search';
import { nameOf } from './people-search';
import { PersonAccess } from './person-access';
import { PersonForm } from './person-form';
import { type Person, usePerson } from './queries';
import { Sessions } from './sessions';

/** Invites a person, or creates a service. */
export function NewPersonPage() {
  const text = useMessages();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const { customer }: NewPersonSearch = useSearch({ strict: false });
  const { isSupport } = useMe();
  return (
    <AdministratorsOnly>
      <Back customerId={customer} />
      <div>
        <Title order={1} size="h2">
          {text.inviteTitle}
        </Title>
        <Text>{text.inviteIntro}</Text>
      </div>
      <Card withBorder>
        <PersonForm
          found={null}
          isDisabled={isSupport}
          {...(customer !== undefined && { customerId: customer })}
          onSaved={({ id }) => {
            void queries.invalidateQueries({ queryKey: keys.people.lists });
            void navigate({ to: '/team/people/$id', params: { id: String(id) } });
          }}
        />
      </Card>
    </AdministratorsOnly>
  );
}

/** One person: name and level, whether they may get in, where they are signed in, and the keys that act as them. */
export function PersonPage() {
  const { id = '' } = useParams({ strict: false }) as { id?: string };
  return (
    <AdministratorsOnly>
      <Loaded found={usePerson(Number(id))}>{(version) => <Details found={version} />}</Loaded>
    </AdministratorsOnly>
  );
}

function Details({ found }: { found: Version<Person> }) {
  const text = useMessages();
  const { number, dateTime } = useFormats();
  const queries = useQueryClient();
  const { adminLevel, userId, isSupport, customer } = useMe();
  const person = found.value;
  const isAbove = person.adminLevel > adminLevel;
  const mayChange = !isSupport && !isAbove;
  return (
    <>
      <Back customerId={customer && customer.id !== person.customerId ? person.customerId : undefined} />
      <Group justify="space-between">
        <Title order={1} size="h2" className="foreign" dir="auto">
          {nameOf(person)}
        </Title>
        <PersonBadges person={person} />
      </Group>
      {isAbove && <Alert role="status">{text.aboveYou(number(person.adminLevel))}</Alert>}
      {person.emailDisputedAt && (
        <Alert color="yellow" variant="outline" role="status" title={text.disputed(dateTime(person.emailDisputedAt))}>
          {text.disputedHint}
        </Alert>
      )}
      <SimpleGrid cols={{ base: 1, lg: 2 }}>
        <Card withBorder>
          <PersonForm
            key={`${person.id} ${mayChange}`}
            found={found}
            isDisabled={!mayChange}
            onSaved={() => void queries.invalidateQueries({ queryKey: keys.people.all })}
          />
        </Card>
        <Stack>
          {mayChange && (
            <Card withBorder>
              <PersonAccess person={person} isSelf={person.id === userId} />
            </Card>
          )}
          <Card withBorder>
            <AccessKeys userId={person.id} mayChange={mayChange} />
          </Card>
        </Stack>
      </SimpleGrid>
      {person.kind === 'person' && (
        <Card withBorder>
          <Sessions userId={person.id} mayChange={mayChange} />
        </Card>
      )}
    </>
  );
}

function Back({ customerId }: { customerId: number | undefined }) {
  const text = useMessages();
  return (
    <TextLink
      to={customerId === undefined ? '/team' : '/customers/$id'}
      params={customerId === undefined ? {} : { id: String(customerId) }}
      w="fit-content"
    >
      {text.back}
    </TextLink>
  );
}
