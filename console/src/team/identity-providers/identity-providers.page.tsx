import { Group, Table, Text } from '@mantine/core';
import { ButtonLink, TextLink } from '../../elements/links';
import { Results } from '../../elements/list-page';
import { Empty } from '../../elements/page-states';
import { WideTable } from '../../elements/wide-table';
import { useFormats } from '../../language';
import { useMe } from '../../shell/me';
import { TeamFrame } from '../team-frame';
import { validityOf } from './certificate-dates';
import { useMessages } from './identity-providers.messages';
import { type IdentityProvider, useIdentityProviders } from './queries';

/** The identity providers of the customer. */
export function IdentityProvidersPage() {
  return (
    <TeamFrame section="identity-providers">
      <IdentityProviders />
    </TeamFrame>
  );
}

function IdentityProviders() {
  const text = useMessages();
  const { isSupport } = useMe();
  const found = useIdentityProviders();
  const providers = found.items ?? [];
  return (
    <>
      <Group justify="space-between">
        <Text flex="1 1 300px">{text.intro}</Text>
        {!isSupport && <ButtonLink to="/team/identity-providers/new">{text.create}</ButtonLink>}
      </Group>
      <Results
        found={found}
        isEmpty={providers.length === 0}
        empty={
          <Empty title={text.none}>
            <Text ta="center">{text.noneHint}</Text>
          </Empty>
        }
      >
        <WideTable minWidth={560} label={text.title} columns={[text.identifier, text.issuer, text.validUntil]}>
          {providers.map((provider) => (
            <Row key={provider.id} provider={provider} />
          ))}
        </WideTable>
      </Results>
    </>
  );
}

function Row({ provider: { id, ssoIdentifier, issuer, certificates } }: { provider: IdentityProvider }) {
  const text = useMessages();
  const { date } = useFormats();
  const ends = certificates.map((pem) => validityOf(pem)?.until.getTime() ?? Number.NaN).filter(Number.isFinite);
  return (
    <Table.Tr>
      <Table.Td>
        <TextLink to="/team/identity-providers/$id" params={{ id: String(id) }} className="foreign">
          {ssoIdentifier}
        </TextLink>
      </Table.Td>
      <Table.Td maw={360}>
        <Text size="sm" className="foreign" lineClamp={2}>
          {issuer}
        </Text>
      </Table.Td>
      <Table.Td>{ends.length > 0 ? date(new Date(Math.max(...ends))) : text.unreadable}</Table.Td>
    </Table.Tr>
  );
}
