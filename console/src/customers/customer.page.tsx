import { Badge, Card, Group, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { BackLink } from '../elements/back-link';
import { Loaded, PageHead } from '../elements/list-page';
import type { Version } from '../elements/version';
import { useFormats } from '../language';
import { keys } from '../query-keys';
import { UsageTable } from '../settings/usage-table';
import { PeopleList } from '../team/people/people-list';
import type { PeopleSearch } from '../team/people/people-search';
import { CustomerForm } from './customer-form';
import { useMessages } from './customers.messages';
import { OperatorsOnly } from './operators-only';
import { type Customer, useCustomer } from './queries';

export function NewCustomerPage() {
  const text = useMessages();
  const navigate = useNavigate();
  const queries = useQueryClient();
  return (
    <OperatorsOnly>
      <BackLink to="/customers">{text.back}</BackLink>
      <PageHead title={text.newTitle} intro={text.newIntro} />
      <Card withBorder>
        <CustomerForm
          found={null}
          onSaved={({ id }) => {
            void queries.invalidateQueries({ queryKey: keys.customers.lists });
            void navigate({ to: '/customers/$id', params: { id: String(id) } });
          }}
        />
      </Card>
    </OperatorsOnly>
  );
}

/** One customer: its settings, what it uses, and its people. */
export function CustomerPage() {
  const text = useMessages();
  return (
    <OperatorsOnly>
      <BackLink to="/customers">{text.back}</BackLink>
      <Found />
    </OperatorsOnly>
  );
}

function Found() {
  const { id = '' } = useParams({ strict: false }) as { id?: string };
  return <Loaded found={useCustomer(Number(id))}>{(version) => <OneCustomer key={version.value.id} found={version} />}</Loaded>;
}

function OneCustomer({ found }: { found: Version<Customer> }) {
  const text = useMessages();
  const { dateTime } = useFormats();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const search: PeopleSearch = useSearch({ strict: false });
  const { id, name, operator, supportAccessUntil } = found.value;
  const isOpen = supportAccessUntil !== null && new Date(supportAccessUntil) > new Date();
  const find = (changed: PeopleSearch) =>
    void navigate({
      to: '/customers/$id',
      params: { id: String(id) },
      search: changed,
      replace: true,
      resetScroll: false,
    });
  return (
    <>
      <Group justify="space-between">
        <Title order={1} size="h2" className="foreign" dir="auto">
          {name}
        </Title>
        {operator && <Badge variant="default">{text.operator}</Badge>}
      </Group>
      <SimpleGrid cols={{ base: 1, lg: 2 }}>
        <Card withBorder>
          <Stack component="section">
            <Title order={2} size="h4">
              {text.settings}
            </Title>
            <CustomerForm
              found={found}
              onSaved={() => [keys.customers.all, keys.own.customer].map((queryKey) => queries.invalidateQueries({ queryKey }))}
            />
            <Text size="sm">{isOpen ? text.supportHint(dateTime(supportAccessUntil)) : text.noSupportHint}</Text>
          </Stack>
        </Card>
        <Card withBorder>
          <Stack component="section">
            <Title order={2} size="h4">
              {text.usage}
            </Title>
            <UsageTable customerId={id} />
          </Stack>
        </Card>
      </SimpleGrid>
      <Title order={2} size="h3">
        {text.people}
      </Title>
      <PeopleList customerId={id} search={search} onChange={find} />
    </>
  );
}
