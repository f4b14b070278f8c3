import { Button, Code, Group, Select, Table, Text, TextInput } from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { DownloadIcon } from '../../elements/icons';
import { TextLink } from '../../elements/links';
import { Results } from '../../elements/list-page';
import { MAX_NAME } from '../../elements/max-name';
import { notifyFailure } from '../../elements/notify';
import { Empty } from '../../elements/page-states';
import { SearchField } from '../../elements/search-field';
import { WideTable } from '../../elements/wide-table';
import { useFormats } from '../../language';
import { usePeopleNames } from '../people/people-names';
import { TeamFrame } from '../team-frame';
import { useMessages } from './audit.messages';
import { type AuditSearch, readAuditSearch, userIdOf } from './audit-search';
import { type AuditRecord, downloadAudit, useAudit } from './queries';

/** The audit trail of the customer. */
export function AuditPage() {
  return (
    <TeamFrame section="audit">
      <Audit />
    </TeamFrame>
  );
}

function Audit() {
  const text = useMessages();
  const search: AuditSearch = useSearch({ strict: false });
  const navigate = useNavigate();
  const names = usePeopleNames();
  const found = useAudit(search);
  const records = found.items ?? [];
  const change = (changes: Partial<AuditSearch>) =>
    void navigate({ to: '/team/audit', search: readAuditSearch({ ...search, ...changes }), replace: true });
  return (
    <>
      <Group justify="space-between">
        <Text flex="1 1 300px">{text.intro}</Text>
        <Download search={search} />
      </Group>
      <Filters search={search} names={names} onChange={change} />
      <Results
        found={found}
        isEmpty={records.length === 0}
        empty={
          <Empty title={text.none}>
            <Text ta="center">{text.noneHint}</Text>
          </Empty>
        }
      >
        <WideTable minWidth={720} label={text.title} columns={[text.when, text.who, text.action, text.subject, text.reason]}>
          {records.map((record, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: records have no id, and none comes between two others
            <Row key={index} record={record} names={names} />
          ))}
        </WideTable>
      </Results>
    </>
  );
}

type Names = ReadonlyMap<number, string>;

interface FiltersProps {
  readonly search: AuditSearch;
  readonly names: Names;
  readonly onChange: (changes: Partial<AuditSearch>) => void;
}

function Filters({ search, names, onChange }: FiltersProps) {
  const text = useMessages();
  const people = [...names].map(([id, name]) => ({ value: `user:${id}`, label: name.slice(0, MAX_NAME) }));
  const isListed = !search.actor || people.some(({ value }) => value === search.actor);
  const actors = isListed ? people : [{ value: search.actor as string, label: search.actor as string }, ...people];
  return (
    <Group align="flex-end" role="search" aria-label={text.filters}>
      <Select
        label={text.who}
        placeholder={text.anyone}
        data={actors}
        value={search.actor ?? null}
        onChange={(actor) => onChange({ actor: actor ?? '' })}
        searchable
        openOnFocus={false}
        clearable
        clearButtonProps={{ 'aria-label': text.anyone }}
        limit={50}
        nothingFoundMessage={text.nothing}
      />
      <SearchField
        label={text.action}
        description={text.actionHint}
        value={search.action ?? ''}
        onChange={(action) => onChange({ action })}
      />
      <SearchField
        label={text.subject}
        description={text.subjectHint}
        value={search.subject ?? ''}
        onChange={(subject) => onChange({ subject })}
      />
      <Group gap="sm">
        <TextInput
          type="date"
          label={text.from}
          max={search.to}
          value={search.from ?? ''}
          onChange={({ currentTarget: { value } }) => onChange({ from: value })}
        />
        <TextInput
          type="date"
          label={text.to}
          min={search.from}
          value={search.to ?? ''}
          onChange={({ currentTarget: { value } }) => onChange({ to: value })}
        />
      </Group>
    </Group>
  );
}

/** All changes that match, as a file. */
function Download({ search }: { search: AuditSearch }) {
  const text = useMessages();
  const [isLoading, setLoading] = useState(false);
  const download = async () => {
    setLoading(true);
    try {
      const url = URL.createObjectURL(await downloadAudit(search));
      const link = Object.assign(document.createElement('a'), { href: url, download: `${text.file}.jsonl` });
      link.click();
      setTimeout(() => URL.revokeObjectURL(url), 60_000); // the browser reads it after the click
    } catch (error) {
      notifyFailure(text.downloading, error);
    } finally {
      setLoading(false);
    }
  };
  return (
    <Button
      variant="default"
      leftSection={<DownloadIcon size={18} />}
      loading={isLoading}
      title={text.downloadHint}
      onClick={() => void download()}
    >
      {text.download}
    </Button>
  );
}

function Row({ record: { at, action, actor, onBehalfOf, subject, reason }, names }: { record: AuditRecord; names: Names }) {
  const text = useMessages();
  const { dateTime } = useFormats();
  const behalf = onBehalfOf && (names.get(userIdOf(onBehalfOf) ?? 0) ?? onBehalfOf);
  return (
    <Table.Tr>
      <Table.Td>{dateTime(at)}</Table.Td>
      <Table.Td maw={240}>
        <Name name={actor} names={names} />
        {behalf && (
          <Text size="sm" className="foreign" lineClamp={2}>
            {text.onBehalfOf(behalf)}
          </Text>
        )}
      </Table.Td>
      <Table.Td>
        <Code>{action}</Code>
      </Table.Td>
      <Table.Td maw={240}>
        <Name name={subject} names={names} />
      </Table.Td>
      <Table.Td maw={280}>
        <Text size="sm" className="foreign" lineClamp={4}>
          {reason}
        </Text>
      </Table.Td>
    </Table.Tr>
  );
}

/** The name of a person of the customer, which leads to them; of everything else what the service calls it. */
function Name({ name, names }: { name: string; names: Names }) {
  const id = userIdOf(name);
  const known = id === null ? undefined : names.get(id);
  if (id === null || known === undefined) {
    return (
      <Text size="sm" className="foreign" lineClamp={2}>
        {name}
      </Text>
    );
  }
  return (
    <TextLink to="/team/people/$id" params={{ id: String(id) }} size="sm" className="foreign" dir="auto" lineClamp={2} title={name}>
      {known}
    </TextLink>
  );
}
