import { Badge, SegmentedControl, Table, Text } from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { ButtonLink, TextLink } from '../elements/links';
import { ListPage } from '../elements/list-page';
import { Empty } from '../elements/page-states';
import { WideTable } from '../elements/wide-table';
import { useFormats } from '../language';
import { useMessages } from './dropsites.messages';
import { type DropsitesSearch, readDropsitesSearch } from './dropsites-search';
import { type Dropsite, type DropsiteState, useDropsites } from './queries';

/** The dropsites that accept uploads, or those that have ended. */
export function DropsitesPage() {
  const text = useMessages();
  const search: DropsitesSearch = useSearch({ strict: false });
  const state: DropsiteState = search.state ?? 'active';
  const navigate = useNavigate();
  const found = useDropsites(state);
  const dropsites = found.items ?? [];
  return (
    <ListPage
      title={text.title}
      intro={text.intro}
      found={found}
      isEmpty={dropsites.length === 0}
      empty={<Empty title={text.emptyTitle[state]}>{state === 'active' && <Text ta="center">{text.empty}</Text>}</Empty>}
      controls={
        <>
          <SegmentedControl
            aria-label={text.state}
            value={state}
            data={(['active', 'ended'] as const).map((value) => ({ value, label: text.states[value] }))}
            onChange={(value) => void navigate({ to: '/dropsites', search: readDropsitesSearch({ state: value }), replace: true })}
          />
          <ButtonLink to="/dropsites/new">{text.create}</ButtonLink>
        </>
      }
    >
      <WideTable minWidth={640} label={text.title} columns={[text.name, text.until, text.uploads, text.lastUsed, text.password]}>
        {dropsites.map((dropsite) => (
          <Row key={dropsite.id} dropsite={dropsite} />
        ))}
      </WideTable>
    </ListPage>
  );
}

function Row({ dropsite: { id, name, expiresAt, countUploads, lastUsedAt, requiresPassword } }: { dropsite: Dropsite }) {
  const text = useMessages();
  const { dateTime, number } = useFormats();
  return (
    <Table.Tr>
      <Table.Td maw={320}>
        <TextLink to="/dropsites/$id" params={{ id: String(id) }} className="foreign" dir="auto" lineClamp={2}>
          {name}
        </TextLink>
      </Table.Td>
      <Table.Td>{expiresAt ? dateTime(expiresAt) : text.noEnd}</Table.Td>
      <Table.Td>{number(countUploads)}</Table.Td>
      <Table.Td>{lastUsedAt ? dateTime(lastUsedAt) : text.never}</Table.Td>
      <Table.Td>{requiresPassword && <Badge variant="default">{text.withPassword}</Badge>}</Table.Td>
    </Table.Tr>
  );
}
