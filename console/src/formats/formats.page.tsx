import { Badge, Card, Group, NativeSelect, SimpleGrid, Skeleton, Stack, Text, Title } from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { ButtonLink, TextLink } from '../elements/links';
import { ListPage } from '../elements/list-page';
import { MEDIA_TYPES, type MediaType, type MediaTypeSearch, readMediaTypeSearch } from '../elements/media-types';
import { Empty } from '../elements/page-states';
import { useFormats } from '../language';
import { useMessages } from './formats.messages';
import { type Format, useFormatList } from './queries';

/** The customer's own formats, and the blueprints on which new ones are based. */
export function FormatsPage() {
  const text = useMessages();
  const { type }: MediaTypeSearch = useSearch({ strict: false });
  const navigate = useNavigate();
  const found = useFormatList();
  const fitting = found.data?.filter(({ settings }) => !type || settings.mediaTypes?.includes(type)) ?? [];
  const own = fitting.filter(({ isBlueprint }) => !isBlueprint);
  const names = new Map(found.data?.map(({ id, name }) => [id, name]));
  return (
    <ListPage
      title={text.title}
      intro={text.intro}
      found={found}
      isEmpty={!found.data}
      placeholder={<Waiting />}
      controls={
        <NativeSelect
          label={text.type}
          value={type ?? ''}
          data={[{ value: '', label: text.allTypes }, ...MEDIA_TYPES.map((value) => ({ value, label: text.types[value] }))]}
          onChange={(event) =>
            void navigate({ to: '/formats', search: readMediaTypeSearch({ type: event.currentTarget.value }), replace: true })
          }
        />
      }
    >
      <Title order={2} size="h3">
        {text.own}
      </Title>
      {own.length === 0 ? (
        <Empty title={text.noneTitle} order={3}>
          <Text ta="center">{text.none}</Text>
        </Empty>
      ) : (
        <Cards formats={own} names={names} />
      )}
      <div>
        <Title order={2} size="h3">
          {text.blueprints}
        </Title>
        <Text>{text.blueprintsIntro}</Text>
      </div>
      <Cards formats={fitting.filter(({ isBlueprint }) => isBlueprint)} names={names} />
    </ListPage>
  );
}

const COLUMNS = { base: 1, xs: 2, md: 3, xl: 4 };

function Waiting() {
  const text = useMessages();
  return (
    <SimpleGrid cols={COLUMNS} role="status" aria-busy="true" aria-label={text.loading}>
      {Array.from({ length: 8 }, (_, n) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: placeholders have no identity
        <Skeleton key={n} height={132} radius="md" />
      ))}
    </SimpleGrid>
  );
}

function Cards({ formats, names }: { formats: readonly Format[]; names: ReadonlyMap<number, string> }) {
  return (
    <SimpleGrid cols={COLUMNS}>
      {formats.map((format) => (
        <FormatCard key={format.id} format={format} basis={format.blueprintId === null ? undefined : names.get(format.blueprintId)} />
      ))}
    </SimpleGrid>
  );
}

function FormatCard({ format, basis }: { format: Format; basis: string | undefined }) {
  const text = useMessages();
  const { list } = useFormats();
  const { id, name, isBlueprint, settings } = format;
  return (
    <Card withBorder component="article">
      <Stack gap="xs" h="100%">
        <TextLink to="/formats/$id" params={{ id: String(id) }} fw={600} className="foreign" dir="auto" lineClamp={2}>
          {name}
        </TextLink>
        <FormatBadges format={format} />
        <Text size="sm">{list((settings.mediaTypes ?? []).map((type: MediaType) => text.types[type]))}</Text>
        {basis && (
          <Text size="sm" className="foreign">
            {text.basedOn(basis)}
          </Text>
        )}
        <Settings format={format} />
        {format.unavailableReason && (
          <Text size="sm" className="foreign">
            {format.unavailableReason}
          </Text>
        )}
        {isBlueprint && settings.mediaTypes && (
          <ButtonLink to="/formats/new" search={{ blueprint: id }} variant="light" size="xs" mt="auto" aria-label={text.formatFrom(name)}>
            {text.createFormat}
          </ButtonLink>
        )}
      </Stack>
    </Card>
  );
}

/** The parameters that distinguish a format from its siblings on a card. */
const SHOWN = ['width', 'height', 'resize', 'crf', 'quality', 'b:a'];

function Settings({ format: { command } }: { format: Format }) {
  const values = SHOWN.filter((name) => command[name] !== undefined).map((name) => `${name} ${String(command[name])}`);
  return values.length === 0 ? null : (
    <Text size="sm" ff="monospace" className="foreign">
      {values.join(' · ').slice(0, 200)}
    </Text>
  );
}

export function FormatBadges({ format }: { format: Format }) {
  const text = useMessages();
  const seconds = format.settings.testMode ? (format.settings.testMode.seconds ?? 5) : null;
  return (
    <Group gap={6}>
      <Badge variant="default">{text.usages[format.usage]}</Badge>
      {format.settings.filetype && <Badge variant="default">{format.settings.filetype.replace('.', '')}</Badge>}
      {seconds !== null && <Badge color="yellow">{text.testModeOf(seconds)}</Badge>}
      {!format.available && <Badge color="red">{text.unavailable}</Badge>}
      {format.flag === 1 && <Badge color="red">{text.destroyedOne}</Badge>}
    </Group>
  );
}
