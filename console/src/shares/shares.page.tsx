import { Button, Checkbox, Group, SegmentedControl, Stack, Table, Text } from '@mantine/core';
import { enumerations } from '@media-delivery/sdk';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { focusAfterRemoval, focusHeading } from '../elements/focus';
import { TextLink } from '../elements/links';
import { PageHead, Results } from '../elements/list-page';
import { Empty } from '../elements/page-states';
import { type SelectionAction, selectionReducer } from '../elements/selection';
import { useSelection } from '../elements/use-selection';
import { WideTable } from '../elements/wide-table';
import { useFormats } from '../language';
import { MediumLink, useMediumName } from '../medium/medium-link';
import { useConfigurationNames } from '../player-configurations/queries';
import { useEnding } from './ending';
import { type Share, useShares } from './queries';
import { useMessages } from './shares.messages';
import { KINDS, readSharesSearch, type ShareKind, type SharesSearch } from './shares-search';

const STATES = enumerations['GET /v5/embedlink'].state;

/** Every active embed link, download link and dropsite: what, for whom, until when, last used, how often; one or many can be ended. */
export function SharesPage() {
  const text = useMessages();
  const search: SharesSearch = useSearch({ strict: false });
  const kind: ShareKind = search.kind ?? 'embed';
  const state: (typeof STATES)[number] = search.state ?? 'active';
  const navigate = useNavigate();
  const show = (changes: Record<string, string>) => void navigate({ to: '/shares', search: readSharesSearch({ kind, state, ...changes }) });
  return (
    <Stack>
      <PageHead title={text.title} />
      <Group>
        <SegmentedControl
          aria-label={text.kind}
          value={kind}
          data={KINDS.map((value) => ({ value, label: text.kinds[value] }))}
          onChange={(value) => show({ kind: value })}
        />
        <SegmentedControl
          aria-label={text.state}
          value={state}
          data={STATES.map((value) => ({ value, label: text.states[value] }))}
          onChange={(value) => show({ state: value })}
        />
      </Group>
      <ShareTable key={`${kind} ${state}`} kind={kind} state={state} inAddress={search.selected} />
    </Stack>
  );
}

interface TableProps {
  readonly kind: ShareKind;
  readonly state: (typeof STATES)[number];
  /** The selected ids in the address of the page. */
  readonly inAddress: readonly number[] | undefined;
}

function ShareTable({ kind, state, inAddress }: TableProps) {
  const text = useMessages();
  const found = useShares(kind, state);
  const { selected, select } = useSelection(inAddress);
  const ending = useEnding(kind);
  const change = (action: SelectionAction) => select(selectionReducer({ ids: selected, anchor: null }, action).ids);
  const end = (ids: readonly number[]) => {
    change({ type: 'remove', ids });
    ending.end(ids);
  };
  const shares = found.items?.filter(({ id }) => !ending.hidden.has(id)) ?? [];
  const endable = state === 'ended' ? [] : shares.filter((share) => !hasEnded(share));
  // The address may name shares that have ended since, or that are on a page of the list that is not loaded: only those on the screen are ended.
  const chosen = endable.filter(({ id }) => selected.has(id));
  const isAll = endable.length > 0 && chosen.length === endable.length;
  return (
    <Results found={found} isEmpty={shares.length === 0} empty={<Empty title={text.empty[state]} />}>
      {endable.length > 0 && (
        <Button
          w="fit-content"
          color="red"
          variant="light"
          disabled={chosen.length === 0}
          onClick={() => {
            end(chosen.map(({ id }) => id));
            focusHeading();
          }}
        >
          {text.endSelected(chosen.length)}
        </Button>
      )}
      <WideTable minWidth={720} label={text.title}>
        <Table.Thead>
          <Table.Tr>
            <Table.Td w={40}>
              {endable.length > 0 && (
                <Checkbox
                  checked={isAll}
                  indeterminate={!isAll && chosen.length > 0}
                  onChange={() => change({ type: 'toggleAll', items: endable })}
                  aria-label={text.selectAll}
                />
              )}
            </Table.Td>
            <Table.Th>{text.what}</Table.Th>
            <Table.Th>{text.how}</Table.Th>
            <Table.Th>{text.until}</Table.Th>
            <Table.Th>{text.lastUsed}</Table.Th>
            {kind !== 'dropsite' && <Table.Th>{text.uses}</Table.Th>}
            <Table.Td />
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {shares.map((share, index) => (
            <ShareRow
              key={share.id}
              share={share}
              kind={kind}
              isSelected={selected.has(share.id)}
              onToggle={() => change({ type: 'toggle', items: shares, index })}
              onEnd={endable.includes(share) ? () => end([share.id]) : null}
            />
          ))}
        </Table.Tbody>
      </WideTable>
    </Results>
  );
}

const hasEnded = ({ end }: Share): boolean => end !== null && end <= new Date();

interface RowProps {
  readonly share: Share;
  readonly kind: ShareKind;
  readonly isSelected: boolean;
  readonly onToggle: () => void;
  /** Null: it has ended. */
  readonly onEnd: (() => void) | null;
}

function ShareRow({ share, kind, isSelected, onToggle, onEnd }: RowProps) {
  const text = useMessages();
  const { dateTime, number } = useFormats();
  const { data: configurations } = useConfigurationNames();
  const [first] = share.mediaContainerIds;
  const mediumName = useMediumName(first ?? null);
  const name = share.title ?? (mediumName || String(share.id));
  const configuration = share.playerConfigurationId === null ? undefined : configurations?.get(share.playerConfigurationId);
  const whom = share.requiresPassword ? text.password : configuration ? text.rules(configuration) : text.anybody;
  return (
    <Table.Tr data-item>
      <Table.Td>{onEnd && <Checkbox checked={isSelected} onChange={onToggle} aria-label={text.select(name)} />}</Table.Td>
      <Table.Td maw={320}>
        {kind === 'dropsite' ? (
          <TextLink size="sm" to="/dropsites/$id" params={{ id: String(share.id) }} className="foreign" dir="auto" lineClamp={2}>
            {name}
          </TextLink>
        ) : (
          share.title && (
            <Text size="sm" className="foreign" dir="auto" lineClamp={2}>
              {name}
            </Text>
          )
        )}
        {first !== undefined && <MediumLink id={first} />}
        {share.mediaContainerIds.length > 1 && <Text size="sm">{text.media(share.mediaContainerIds.length)}</Text>}
      </Table.Td>
      <Table.Td maw={280} className="foreign">
        {configuration ? (
          <TextLink size="sm" to="/player-configurations/$id" params={{ id: String(share.playerConfigurationId) }} lineClamp={2}>
            {whom}
          </TextLink>
        ) : (
          whom
        )}
      </Table.Td>
      <Table.Td>{share.end ? dateTime(share.end) : text.noEnd}</Table.Td>
      <Table.Td>{share.lastUsedAt ? dateTime(share.lastUsedAt) : text.never}</Table.Td>
      {kind !== 'dropsite' && <Table.Td>{number(share.uses ?? 0)}</Table.Td>}
      <Table.Td>
        <Group gap="xs" justify="flex-end" wrap="nowrap">
          <Button
            component="a"
            href={share.url}
            target="_blank"
            rel="noreferrer"
            size="compact-sm"
            variant="default"
            aria-label={text.openOne(name)}
          >
            {text.open}
          </Button>
          {onEnd && (
            <Button
              size="compact-sm"
              color="red"
              variant="light"
              aria-label={text.endOne(name)}
              onClick={({ currentTarget }) => {
                focusAfterRemoval(currentTarget);
                onEnd();
              }}
            >
              {text.end}
            </Button>
          )}
        </Group>
      </Table.Td>
    </Table.Tr>
  );
}
