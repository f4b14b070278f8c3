import { Badge, Card, Code, Group, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { BackLink } from '../../elements/back-link';
import { CopyButton } from '../../elements/copy-button';
import { DeleteButton } from '../../elements/delete-button';
import { Loaded } from '../../elements/list-page';
import type { Version } from '../../elements/version';
import { useFormats } from '../../language';
import { keys } from '../../query-keys';
import { useMe } from '../../shell/me';
import { useRefusals } from '../refusals';
import { AdministratorsOnly } from '../team-frame';
import { validityOf } from './certificate-dates';
import { useMessages } from './identity-providers.messages';
import { ProviderForm } from './provider-form';
import { type IdentityProvider, useDeleteIdentityProvider, useIdentityProvider } from './queries';
import { ReplaceMetadata } from './replace-metadata';

export function NewIdentityProviderPage() {
  const text = useMessages();
  const { isSupport } = useMe();
  const navigate = useNavigate();
  const queries = useQueryClient();
  return (
    <AdministratorsOnly>
      <BackLink to="/team/identity-providers">{text.back}</BackLink>
      <Title order={1} size="h2">
        {text.newTitle}
      </Title>
      <Card withBorder>
        <ProviderForm
          found={null}
          isDisabled={isSupport}
          onSaved={({ id }) => {
            void queries.invalidateQueries({ queryKey: keys.identityProviders.lists });
            void navigate({ to: '/team/identity-providers/$id', params: { id: String(id) } });
          }}
        />
      </Card>
    </AdministratorsOnly>
  );
}

/** One identity provider: what to enter there, its certificates, and how people sign in with it. */
export function IdentityProviderPage() {
  const text = useMessages();
  const { id = '' } = useParams({ strict: false }) as { id?: string };
  return (
    <AdministratorsOnly>
      <BackLink to="/team/identity-providers">{text.back}</BackLink>
      <Loaded found={useIdentityProvider(Number(id))}>{(version) => <OneProvider key={version.value.id} found={version} />}</Loaded>
    </AdministratorsOnly>
  );
}

function OneProvider({ found }: { found: Version<IdentityProvider> }) {
  const text = useMessages();
  const { number } = useFormats();
  const queries = useQueryClient();
  const explained = useRefusals();
  const { isSupport } = useMe();
  const provider = found.value;
  const { mutateAsync: remove } = useDeleteIdentityProvider(provider.id);
  const refresh = () => void queries.invalidateQueries({ queryKey: keys.identityProviders.all });
  return (
    <>
      <Title order={1} size="h2" className="foreign">
        {provider.ssoIdentifier}
      </Title>
      <SimpleGrid cols={{ base: 1, lg: 2 }}>
        <Card withBorder>
          <Addresses ssoIdentifier={provider.ssoIdentifier} />
        </Card>
        <Card withBorder>
          <Certificates provider={provider} />
        </Card>
      </SimpleGrid>
      <Card withBorder>
        <Stack>
          <Title order={2} size="h4">
            {text.settings}
          </Title>
          {provider.maxAdminLevel !== null && <Text size="sm">{text.maxAdminLevel(number(provider.maxAdminLevel))}</Text>}
          <ProviderForm key={String(isSupport)} found={found} isDisabled={isSupport} onSaved={refresh} />
        </Stack>
      </Card>
      {!isSupport && (
        <>
          <Card withBorder>
            <ReplaceMetadata found={found} onSaved={refresh} />
          </Card>
          <DeleteButton
            name={provider.ssoIdentifier}
            consequence={text.deleteText}
            onDelete={async () => await explained(remove())}
            done={text.deleted}
            leadsTo="/team/identity-providers"
          />
        </>
      )}
    </>
  );
}

/** What the administrator of the identity provider enters there. */
function Addresses({ ssoIdentifier }: { ssoIdentifier: string }) {
  const text = useMessages();
  const base = `${location.origin}/v4/saml/${encodeURIComponent(ssoIdentifier)}`;
  const addresses = [
    { label: text.metadataUrl, copy: text.copyMetadataUrl, value: `${base}/metadata` },
    { label: text.acsUrl, copy: text.copyAcsUrl, value: `${base}/acs` },
  ];
  return (
    <Stack>
      <div>
        <Title order={2} size="h4">
          {text.addresses}
        </Title>
        <Text size="sm">{text.addressesHint}</Text>
      </div>
      {addresses.map(({ label, copy, value }) => (
        <Stack key={label} gap={4}>
          <Text size="sm" fw={600}>
            {label}
          </Text>
          <Group gap="xs">
            <Code className="wrapped">{value}</Code>
            <CopyButton label={copy} value={value} />
          </Group>
        </Stack>
      ))}
    </Stack>
  );
}

/** Who signs for the identity provider, and until when. */
function Certificates({ provider: { issuer, ssoUrl, certificates } }: { provider: IdentityProvider }) {
  const text = useMessages();
  return (
    <Stack>
      {[
        { label: text.issuer, value: issuer },
        { label: text.ssoUrl, value: ssoUrl },
      ].map(({ label, value }) => (
        <div key={label}>
          <Text size="sm" fw={600}>
            {label}
          </Text>
          <Text size="sm" className="foreign">
            {value}
          </Text>
        </div>
      ))}
      <Title order={2} size="h4">
        {text.certificates}
      </Title>
      {certificates.map((pem, index) => (
        <Certificate key={pem} pem={pem} number={index + 1} />
      ))}
    </Stack>
  );
}

function Certificate({ pem, number }: { pem: string; number: number }) {
  const text = useMessages();
  const { date } = useFormats();
  const validity = validityOf(pem);
  const now = new Date();
  return (
    <Group gap="xs">
      <Text size="sm">
        {text.certificate(number)}: {validity ? text.validFrom(date(validity.from), date(validity.until)) : text.unreadable}
      </Text>
      {validity && validity.until < now && (
        <Badge color="red" variant="outline">
          {text.expired}
        </Badge>
      )}
      {validity && validity.from > now && <Badge variant="default">{text.notYet}</Badge>}
    </Group>
  );
}
