import { Badge, Group, Table, Text } from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { ButtonLink, TextLink } from '../elements/links';
import { PageHead, Results } from '../elements/list-page';
import { Empty } from '../elements/page-states';
import { SearchField } from '../elements/search-field';
import { WideTable } from '../elements/wide-table';
import { useFormats } from '../language';
import { useMessages } from './customers.messages';
import { type CustomersSearch, readCustomersSearch } from './customers-search';
import { OperatorsOnly } from './operators-only';
import { type Customer, useCustomers } from './queries';

/** All customers of the service, for its operators. */
export function CustomersPage() {
  return (
    <OperatorsOnly>
      <Customers />
    </OperatorsOnly>
  );
}

function Customers() {
  const text = useMessages();
  const search: CustomersSearch = useSearch({ strict: false });
  const navigate = useNavigate();
  const found = useCustomers(search);
  const customers = found.items ?? [];
  const find = (words: string) => void navigate({ to: '/customers', search: readCustomersSearch({ search: words }), replace: true });
  return (
    <>
      <PageHead title={text.title} intro={text.intro}>
        <SearchField label={text.search} value={search.search ?? ''} onChange={find} />
        <ButtonLink to="/customers/new">{text.create}</ButtonLink>
      </PageHead>
      <Results
        found={found}
        isEmpty={customers.length === 0}
        empty={
          <Empty title={text.none}>
            <Text ta="center">{text.noneHint}</Text>
          </Empty>
        }
      >
        <WideTable minWidth={640} label={text.title} columns={[text.name, text.number, text.secondFactor, text.support, text.createdAt]}>
          {customers.map((customer) => (
            <Row key={customer.id} customer={customer} />
          ))}
        </WideTable>
      </Results>
    </>
  );
}

function Row({ customer: { id, name, operator, requireSecondFactor, supportAccessUntil, createdAt } }: { customer: Customer }) {
  const text = useMessages();
  const { date, dateTime } = useFormats();
  const isOpen = supportAccessUntil !== null && new Date(supportAccessUntil) > new Date();
  return (
    <Table.Tr>
      <Table.Td maw={320}>
        <Group gap="xs">
          <TextLink to="/customers/$id" params={{ id: String(id) }} className="foreign" dir="auto" lineClamp={2}>
            {name}
          </TextLink>
          {operator && <Badge variant="default">{text.operator}</Badge>}
        </Group>
      </Table.Td>
      <Table.Td>{id}</Table.Td>
      <Table.Td>{requireSecondFactor ? text.everyone : text.optional}</Table.Td>
      <Table.Td>{isOpen ? text.supportUntil(dateTime(supportAccessUntil)) : text.noSupport}</Table.Td>
      <Table.Td>{date(createdAt)}</Table.Td>
    </Table.Tr>
  );
}
