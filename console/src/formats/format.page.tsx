import { Alert, Card, Group, Stack, Text, Title } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { BackLink } from '../elements/back-link';
import { ButtonLink } from '../elements/links';
import { Loaded } from '../elements/list-page';
import { MediumPicker } from '../elements/medium-picker';
import { Empty } from '../elements/page-states';
import type { Version } from '../elements/version';
import { useMedium } from '../medium/queries';
import { keys } from '../query-keys';
import { ADMINISTRATOR } from '../shell/levels';
import { useMe } from '../shell/me';
import { DestroyFormat } from './destroy-format';
import { ExplainFormat } from './explain-format';
import { FormatForm } from './format-form';
import { useMessages } from './formats.messages';
import { FormatBadges } from './formats.page';
import type { FormatSearch } from './formats-search';
import { type Format, useFormat, useFormatList } from './queries';
import { originalOf, TryFormat } from './try-format';

/** A new format, based on the blueprint of the address. */
export function NewFormatPage() {
  const text = useMessages();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const { blueprint }: FormatSearch = useSearch({ strict: false });
  const found = useFormatList();
  return (
    <Stack>
      <BackLink to="/formats">{text.back}</BackLink>
      <Loaded found={found}>
        {(formats) => {
          const basis = formats.find(({ id, isBlueprint }) => id === blueprint && isBlueprint);
          if (!basis) return <Empty title={text.noBlueprint} order={1} />;
          return (
            <>
              <Title order={1} size="h2" className="foreign" dir="auto">
                {text.newFrom(basis.name)}
              </Title>
              <Card withBorder>
                <FormatForm
                  blueprint={basis}
                  format={null}
                  onSaved={({ id }) => {
                    void queries.invalidateQueries({ queryKey: keys.formats.all });
                    void navigate({ to: '/formats/$id', params: { id: String(id) } });
                  }}
                />
              </Card>
            </>
          );
        }}
      </Loaded>
    </Stack>
  );
}

/** One format: its parameters, where they come from, and what it makes of a medium. */
export function FormatPage() {
  const text = useMessages();
  const { id = '' } = useParams({ strict: false }) as { id?: string };
  const found = useFormat(Number(id));
  const list = useFormatList();
  return (
    <Stack>
      <BackLink to="/formats">{text.back}</BackLink>
      <Loaded found={found}>
        {(version) => <Loaded found={list}>{(formats) => <OneFormat found={version} formats={formats} />}</Loaded>}
      </Loaded>
    </Stack>
  );
}

interface OneFormatProps {
  readonly found: Version<Format>;
  readonly formats: readonly Format[];
}

function OneFormat({ found, formats }: OneFormatProps) {
  const text = useMessages();
  const format = found.value;
  return (
    <>
      <Group justify="space-between">
        <Title order={1} size="h2" className="foreign" dir="auto">
          {format.name}
        </Title>
        <FormatBadges format={format} />
      </Group>
      {format.unavailableReason && (
        <Alert color="red" title={text.unavailable}>
          <span className="foreign">{format.unavailableReason}</span>
        </Alert>
      )}
      <Card withBorder>
        <Basis key={format.id} found={found} formats={formats} />
      </Card>
      <WithMedium format={format} formats={formats} />
    </>
  );
}

/** The form of an own format; of a blueprint, what can be done with it. */
function Basis({ found, formats }: OneFormatProps) {
  const text = useMessages();
  const queries = useQueryClient();
  const { adminLevel } = useMe();
  const format = found.value;
  const blueprint = formats.find(({ id }) => id === format.blueprintId);
  if (format.isBlueprint || !blueprint) {
    return (
      <Stack align="flex-start">
        <Text>{text.blueprintReadOnly}</Text>
        <ButtonLink to="/formats/new" search={{ blueprint: format.id }}>
          {text.createFormat}
        </ButtonLink>
      </Stack>
    );
  }
  return (
    <Stack>
      <FormatForm blueprint={blueprint} format={found} onSaved={() => void queries.invalidateQueries({ queryKey: keys.formats.all })} />
      {adminLevel >= ADMINISTRATOR && format.flag === 0 && <DestroyFormat format={format} />}
    </Stack>
  );
}

/** What the format does with the medium of the address. */
function WithMedium({ format, formats }: { format: Format; formats: readonly Format[] }) {
  const navigate = useNavigate();
  const { medium }: FormatSearch = useSearch({ strict: false });
  const { data: container } = useMedium(medium ?? 0, medium !== undefined);
  const original = container && originalOf(container, formats);
  const choose = (id: number) => void navigate({ to: '.', search: { medium: id }, replace: true, resetScroll: false });
  const picker = <MediumPicker chosen={container} onChoose={choose} types={format.settings.mediaTypes ?? undefined} />;
  return (
    <>
      <TryFormat key={`${format.id} ${medium}`} format={format} container={container} original={original} picker={picker} />
      <ExplainFormat id={format.id} mediaId={original?.id} />
    </>
  );
}
