import { Badge, Code, Group, Table, Text } from '@mantine/core';
import { ButtonLink, TextLink } from '../../elements/links';
import { Results } from '../../elements/list-page';
import { Empty } from '../../elements/page-states';
import { WideTable } from '../../elements/wide-table';
import { useFormats } from '../../language';
import { useMe } from '../../shell/me';
import { TeamFrame } from '../team-frame';
import { useMessages } from './applications.messages';
import { type Application, useApplications } from './queries';

/** The client applications of the customer. */
export function ApplicationsPage() {
  return (
    <TeamFrame section="applications">
      <Applications />
    </TeamFrame>
  );
}

function Applications() {
  const text = useMessages();
  const { isSupport } = useMe();
  const found = useApplications();
  const applications = found.items ?? [];
  return (
    <>
      <Group justify="space-between">
        <Text flex="1 1 300px">{text.intro}</Text>
        {!isSupport && <ButtonLink to="/team/applications/new">{text.create}</ButtonLink>}
      </Group>
      <Results
        found={found}
        isEmpty={applications.length === 0}
        empty={
          <Empty title={text.none}>
            <Text ta="center">{text.noneHint}</Text>
          </Empty>
        }
      >
        <WideTable minWidth={640} label={text.title} columns={[text.name, text.clientId, text.kind, text.createdAt]}>
          {applications.map((application) => (
            <Row key={application.id} application={application} />
          ))}
        </WideTable>
      </Results>
    </>
  );
}

function Row({ application: { id, name, clientId, confidential, customerId, createdAt } }: { application: Application }) {
  const text = useMessages();
  const { date } = useFormats();
  return (
    <Table.Tr>
      <Table.Td maw={280}>
        <TextLink to="/team/applications/$id" params={{ id: String(id) }} className="foreign" dir="auto" lineClamp={2}>
          {name}
        </TextLink>
      </Table.Td>
      <Table.Td maw={240}>
        <Code className="foreign">{clientId}</Code>
      </Table.Td>
      <Table.Td>
        <Group gap={4}>
          <Badge variant="default">{confidential ? text.confidentialKind : text.publicKind}</Badge>
          {customerId === null && <Badge variant="default">{text.ofOperator}</Badge>}
        </Group>
      </Table.Td>
      <Table.Td>{date(createdAt)}</Table.Td>
    </Table.Tr>
  );
}
