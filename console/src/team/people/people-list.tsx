import { Badge, Button, Group, NativeSelect, Table, Text } from '@mantine/core';
import { useState } from 'react';
import { ButtonLink, TextLink } from '../../elements/links';
import { Results } from '../../elements/list-page';
import { Empty } from '../../elements/page-states';
import { SearchField } from '../../elements/search-field';
import { WideTable } from '../../elements/wide-table';
import { useFormats, useLanguage } from '../../language';
import { ADMINISTRATOR } from '../../shell/levels';
import { useMe } from '../../shell/me';
import { useMessages as useTeamMessages } from '../team.messages';
import { useMessages } from './people.messages';
import { findPeople, nameOf, type PeopleSearch, readPeopleSearch, SHOWN } from './people-search';
import { type Person, usePeople } from './queries';

/** Rows that are shown at first; a longer table is slow to build. */
const ROWS = 100;

interface Props {
  /** Absent: the caller's own customer. */
  readonly customerId?: number;
  readonly search: PeopleSearch;
  readonly onChange: (search: PeopleSearch) => void;
}

/** Finds people and services of a customer, by name, address or state, and invites more. */
export function PeopleList({ customerId, search, onChange }: Props) {
  const text = useMessages();
  const team = useTeamMessages();
  const language = useLanguage();
  const { isSupport } = useMe();
  const query = usePeople(customerId);
  const [rows, setRows] = useState(ROWS);
  const found = findPeople(query.items ?? [], search, language);
  const change = (changes: Record<string, unknown>) => onChange(readPeopleSearch({ ...search, ...changes }));
  return (
    <>
      <Group align="flex-end" role="search" aria-label={text.filters}>
        <SearchField label={text.search} value={search.search ?? ''} onChange={(words) => change({ search: words })} />
        <NativeSelect
          label={text.show}
          value={search.show ?? 'all'}
          data={SHOWN.map((value) => ({ value, label: text.shown[value] }))}
          onChange={({ currentTarget: { value } }) => change({ show: value })}
        />
        {!isSupport && (
          <ButtonLink to="/team/people/new" search={customerId === undefined ? {} : { customer: customerId }}>
            {text.invite}
          </ButtonLink>
        )}
      </Group>
      <Results
        found={query}
        isEmpty={found.length === 0}
        empty={
          <Empty title={text.none}>
            <Text ta="center">{text.noneHint}</Text>
          </Empty>
        }
      >
        <WideTable minWidth={640} label={team.sections.people} columns={[text.name, text.email, text.level, text.state]}>
          {found.slice(0, rows).map((person) => (
            <Row key={person.id} person={person} />
          ))}
        </WideTable>
      </Results>
      {found.length > rows && (
        <Button variant="default" mx="auto" onClick={() => setRows(rows + ROWS)}>
          {team.more}
        </Button>
      )}
    </>
  );
}

function Row({ person }: { person: Person }) {
  const text = useMessages();
  const { number } = useFormats();
  const { id, email, adminLevel } = person;
  return (
    <Table.Tr>
      <Table.Td maw={280}>
        <TextLink to="/team/people/$id" params={{ id: String(id) }} className="foreign" dir="auto" lineClamp={2}>
          {nameOf(person)}
        </TextLink>
      </Table.Td>
      <Table.Td maw={280}>
        <Text size="sm" className="foreign" lineClamp={2}>
          {email}
        </Text>
      </Table.Td>
      <Table.Td>{adminLevel >= ADMINISTRATOR ? text.administrator(number(adminLevel)) : number(adminLevel)}</Table.Td>
      <Table.Td>
        <PersonBadges person={person} />
      </Table.Td>
    </Table.Tr>
  );
}

/** What is special about a person. */
export function PersonBadges({ person: { id, kind, disabledAt, hasPassword, hasSecondFactor, requireSecondFactor } }: { person: Person }) {
  const text = useMessages();
  const { userId } = useMe();
  return (
    <Group gap={4}>
      {id === userId && <Badge variant="default">{text.you}</Badge>}
      {disabledAt && (
        <Badge color="red" variant="outline">
          {text.disabled}
        </Badge>
      )}
      {kind === 'service' && <Badge variant="default">{text.service}</Badge>}
      {kind === 'person' && !hasPassword && <Badge variant="default">{text.noPassword}</Badge>}
      {hasSecondFactor && <Badge variant="default">{text.secondFactor}</Badge>}
      {requireSecondFactor && !hasSecondFactor && <Badge variant="default">{text.secondFactorMissing}</Badge>}
    </Group>
  );
}
