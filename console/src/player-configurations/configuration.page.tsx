import { Anchor, Badge, Card, Group, Skeleton, Stack, Title } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { Failure } from '../elements/page-states';
import { ConfigurationForm } from './configuration-form';
import { useMessages } from './configurations.messages';
import { RuleSentences } from './configurations.page';
import type { ConfigurationsSearch } from './configurations-search';
import { DestroyConfiguration } from './destroy-configuration';
import { Preview } from './preview';
import { useConfiguration } from './queries';
import { Simulator } from './simulator';

export function NewConfigurationPage() {
  const text = useMessages();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const { type }: ConfigurationsSearch = useSearch({ strict: false });
  return (
    <Stack>
      <Back />
      <Title order={1} size="h2">
        {text.newTitle}
      </Title>
      <ConfigurationForm
        found={null}
        type={type}
        onSaved={({ id }) => {
          void queries.invalidateQueries({ queryKey: ['player-configurations'] });
          void navigate({ to: '/player-configurations/$id', params: { id: String(id) } as never });
        }}
      />
    </Stack>
  );
}

/** One player configuration: who gets in, how its player looks, whether a described viewer gets in, and its settings. */
export function ConfigurationPage() {
  const text = useMessages();
  const queries = useQueryClient();
  const { id = '' } = useParams({ strict: false }) as { id?: string };
  const found = useConfiguration(Number(id));
  if (found.isError) return <Failure error={found.error} onRetry={() => void found.refetch()} />;
  if (!found.data) return <Skeleton height={320} radius="md" aria-label={text.loading} />;
  const { value: configuration, etag } = found.data;
  return (
    <Stack>
      <Back />
      <Group justify="space-between">
        <Title order={1} size="h2" className="foreign" dir="auto">
          {configuration.name}
        </Title>
        <Badge variant="default">{text.types[configuration.type]}</Badge>
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
        found={found.data}
        onSaved={() => void queries.invalidateQueries({ queryKey: ['player-configurations'] })}
      />
      <DestroyConfiguration configuration={configuration} />
    </Stack>
  );
}

function Back() {
  const text = useMessages();
  return (
    <Anchor component={Link} to="/player-configurations" w="fit-content">
      {text.back}
    </Anchor>
  );
}
