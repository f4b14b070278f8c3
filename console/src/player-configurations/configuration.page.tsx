import { Badge, Button, Card, Group, Stack, Text, Title } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { BackLink } from '../elements/back-link';
import { Loaded } from '../elements/list-page';
import type { MediaTypeSearch } from '../elements/media-types';
import { notifyFailure } from '../elements/notify';
import type { Version } from '../elements/version';
import { keys } from '../query-keys';
import { ConfigurationForm } from './configuration-form';
import { useMessages } from './configurations.messages';
import { RuleSentences } from './configurations.page';
import { DestroyConfiguration } from './destroy-configuration';
import { Preview } from './preview';
import { type Configuration, useConfiguration, useMakingDefault } from './queries';
import { Simulator } from './simulator';

export function NewConfigurationPage() {
  const text = useMessages();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const { type }: MediaTypeSearch = useSearch({ strict: false });
  return (
    <Stack>
      <BackLink to="/player-configurations">{text.back}</BackLink>
      <Title order={1} size="h2">
        {text.newTitle}
      </Title>
      <ConfigurationForm
        found={null}
        type={type}
        onSaved={({ id }) => {
          void queries.invalidateQueries({ queryKey: keys.playerConfigurations.all });
          void navigate({ to: '/player-configurations/$id', params: { id: String(id) } });
        }}
      />
    </Stack>
  );
}

/** One player configuration: who gets in, how its player looks, whether a described viewer gets in, and its settings. */
export function ConfigurationPage() {
  const text = useMessages();
  const { id = '' } = useParams({ strict: false }) as { id?: string };
  return (
    <Stack>
      <BackLink to="/player-configurations">{text.back}</BackLink>
      <Loaded found={useConfiguration(Number(id))}>{(version) => <OneConfiguration found={version} />}</Loaded>
    </Stack>
  );
}

function OneConfiguration({ found }: { found: Version<Configuration> }) {
  const text = useMessages();
  const queries = useQueryClient();
  const { value: configuration, etag } = found;
  return (
    <>
      <Group justify="space-between">
        <Title order={1} size="h2" className="foreign" dir="auto">
          {configuration.name}
        </Title>
        <Badge variant="default">{text.types[configuration.type]}</Badge>
        {configuration.isDefault && <Badge>{text.isDefault}</Badge>}
      </Group>
      <Card withBorder>
        <Stack gap="xs">
          <Title order={2} size="h4">
            {text.access}
          </Title>
          <RuleSentences configuration={configuration} />
        </Stack>
      </Card>
      <Preview configuration={configuration} version={etag} />
      <Simulator configuration={configuration} />
      <Title order={2} size="h3">
        {text.settings}
      </Title>
      <ConfigurationForm
        key={configuration.id}
        found={found}
        onSaved={() => void queries.invalidateQueries({ queryKey: keys.playerConfigurations.all })}
      />
      {!configuration.isDefault && <MakeDefault found={found} />}
      <DestroyConfiguration configuration={configuration} />
    </>
  );
}

function MakeDefault({ found: { value, etag } }: { found: Version<Configuration> }) {
  const text = useMessages();
  const { mutate, isPending } = useMakingDefault(value.id);
  return (
    <Card withBorder>
      <Group justify="space-between">
        <Text size="sm">{text.makeDefaultHint}</Text>
        <Button
          variant="default"
          loading={isPending}
          onClick={() => mutate(etag, { onError: (error: unknown) => notifyFailure(text.defaultNotMoved, error) })}
        >
          {text.makeDefault}
        </Button>
      </Group>
    </Card>
  );
}
