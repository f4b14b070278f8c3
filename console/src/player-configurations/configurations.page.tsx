import { Badge, Card, Group, NativeSelect, Stack, Text } from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { ButtonLink, TextLink } from '../elements/links';
import { ListPage } from '../elements/list-page';
import { MEDIA_TYPES, type MediaTypeSearch, readMediaTypeSearch } from '../elements/media-types';
import { Empty } from '../elements/page-states';
import { useFormats, useLanguage } from '../language';
import { useMessages } from './configurations.messages';
import { type Configuration, useConfigurations } from './queries';
import { ruleSentences } from './rule-sentences';
import { rulesOf } from './rules';

/** All player configurations, with the sentences of their rules. */
export function ConfigurationsPage() {
  const text = useMessages();
  const { type }: MediaTypeSearch = useSearch({ strict: false });
  const navigate = useNavigate();
  const found = useConfigurations();
  const shown = found.data?.filter((one) => !type || one.type === type) ?? [];
  return (
    <ListPage
      title={text.title}
      intro={text.intro}
      found={found}
      isEmpty={shown.length === 0}
      empty={
        <Empty title={text.emptyTitle}>
          <Text ta="center">{text.empty}</Text>
        </Empty>
      }
      controls={
        <>
          <NativeSelect
            label={text.type}
            value={type ?? ''}
            data={[{ value: '', label: text.allTypes }, ...MEDIA_TYPES.map((value) => ({ value, label: text.types[value] }))]}
            onChange={({ currentTarget: { value } }) =>
              void navigate({ to: '/player-configurations', search: readMediaTypeSearch({ type: value }), replace: true })
            }
          />
          <ButtonLink to="/player-configurations/new" search={type ? { type } : {}}>
            {text.create}
          </ButtonLink>
        </>
      }
    >
      {shown.map((configuration) => (
        <ConfigurationCard key={configuration.id} configuration={configuration} />
      ))}
    </ListPage>
  );
}

function ConfigurationCard({ configuration }: { configuration: Configuration }) {
  const text = useMessages();
  const { number } = useFormats();
  const { id, name, type, countEmbeds, autoGenerate, isDefault } = configuration;
  return (
    <Card withBorder component="article">
      <Stack gap="xs">
        <Group gap="xs">
          <TextLink to="/player-configurations/$id" params={{ id: String(id) }} fw={600} className="foreign" dir="auto">
            {name}
          </TextLink>
          <Badge variant="default">{text.types[type]}</Badge>
          {isDefault && <Badge>{text.isDefault}</Badge>}
          {autoGenerate && <Badge>{text.automatic}</Badge>}
          <Text size="sm" ml="auto">
            {text.links}: {number(countEmbeds ?? 0)}
          </Text>
        </Group>
        <RuleSentences configuration={configuration} />
      </Stack>
    </Card>
  );
}

/** Who gets in, in sentences. */
export function RuleSentences({ configuration }: { configuration: Pick<Configuration, 'securitySettings' | 'settings'> }) {
  const language = useLanguage();
  return (
    <Stack gap={4}>
      {ruleSentences(rulesOf(configuration), language).map((sentence) => (
        <Text key={sentence} size="sm" className="foreign">
          {sentence}
        </Text>
      ))}
    </Stack>
  );
}
