import { Button, Code, Group, Stack, Table, Text, Title } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { TextLink } from '../../elements/links';
import { Results } from '../../elements/list-page';
import { notifyFailure } from '../../elements/notify';
import { Empty } from '../../elements/page-states';
import { useConfirm } from '../../elements/use-confirm';
import { WideTable } from '../../elements/wide-table';
import { useFormats } from '../../language';
import { keys } from '../../query-keys';
import { usePeopleNames } from '../people/people-names';
import { useRefusals } from '../refusals';
import { type Secret, SecretDialog } from '../secret-dialog';
import { useMessages } from './access-keys.messages';
import { CreateAccessKey } from './create-access-key';
import { type AccessKey, createAccessKey, deleteAccessKey, useAccessKeys } from './queries';

interface Props {
  /** Absent: the keys of all users of the customer. */
  readonly userId?: number;
  readonly mayChange: boolean;
}

/** The access keys of the customer or of one user; creates and deletes them. */
export function AccessKeys({ userId, mayChange }: Props) {
  const text = useMessages();
  const queries = useQueryClient();
  const explained = useRefusals();
  const found = useAccessKeys(userId);
  const accessKeys = found.items ?? [];
  const [secrets, setSecrets] = useState<readonly Secret[] | null>(null);
  const { ask, dialog } = useConfirm();
  const [isCreating, setCreating] = useState(false);
  const refresh = async () => await queries.invalidateQueries({ queryKey: keys.accessKeys.all });
  // Not a mutation: its cache would keep the secret.
  const create = async (owner: number) => {
    const { accessKey, accessSecret } = await explained(createAccessKey(owner));
    setSecrets([
      { label: text.key, value: accessKey },
      { label: text.secret, value: accessSecret },
    ]);
    void refresh();
  };
  const createHere = async (owner: number) => {
    setCreating(true);
    await create(owner).catch((error: unknown) => notifyFailure(text.create, error));
    setCreating(false);
  };
  const remove = async (id: number) => {
    await explained(deleteAccessKey(id));
    await refresh();
    notifications.show({ message: text.deleted });
  };
  const askToDelete = ({ id, accessKey }: AccessKey) =>
    ask({ title: text.deleteTitle(accessKey), consequence: text.deleteText, verb: text.delete, act: async () => await remove(id) });
  return (
    <Stack component="section">
      <Group justify="space-between">
        {userId === undefined ? (
          <Text flex="1 1 300px">{text.intro}</Text>
        ) : (
          <Title order={2} size="h4">
            {text.title}
          </Title>
        )}
        {mayChange && userId === undefined && <CreateAccessKey onCreate={create} />}
        {mayChange && userId !== undefined && (
          <Button variant="default" size="compact-sm" loading={isCreating} onClick={() => void createHere(userId)}>
            {text.create}
          </Button>
        )}
      </Group>
      <Results found={found} isEmpty={accessKeys.length === 0} empty={userId === undefined ? <NoKeys /> : <Text>{text.noneOfUser}</Text>}>
        <WideTable
          minWidth={userId === undefined ? 620 : 420}
          label={text.title}
          columns={[text.key, ...(userId === undefined ? [text.user] : []), text.createdAt, ...(mayChange ? [''] : [])]}
        >
          {accessKeys.map((key) => (
            <Row key={key.id} accessKey={key} hasOwner={userId === undefined} onDelete={mayChange ? () => askToDelete(key) : undefined} />
          ))}
        </WideTable>
      </Results>
      {dialog}
      <SecretDialog secrets={secrets} onClose={() => setSecrets(null)} />
    </Stack>
  );
}

function NoKeys() {
  const text = useMessages();
  return (
    <Empty title={text.none}>
      <Text ta="center">{text.noneHint}</Text>
    </Empty>
  );
}

interface RowProps {
  readonly accessKey: AccessKey;
  readonly hasOwner: boolean;
  readonly onDelete: (() => void) | undefined;
}

function Row({ accessKey: { accessKey, userId, createdAt }, hasOwner, onDelete }: RowProps) {
  const text = useMessages();
  const { dateTime } = useFormats();
  return (
    <Table.Tr>
      <Table.Td>
        <Code className="foreign">{accessKey}</Code>
      </Table.Td>
      {hasOwner && (
        <Table.Td maw={280}>
          <Owner userId={userId} />
        </Table.Td>
      )}
      <Table.Td>{dateTime(createdAt)}</Table.Td>
      {onDelete && (
        <Table.Td>
          <Button variant="default" size="compact-sm" aria-haspopup="dialog" aria-label={text.deleteLabel(accessKey)} onClick={onDelete}>
            {text.delete}
          </Button>
        </Table.Td>
      )}
    </Table.Tr>
  );
}

function Owner({ userId }: { userId: number }) {
  const text = useMessages();
  const names = usePeopleNames();
  return (
    <TextLink to="/team/people/$id" params={{ id: String(userId) }} size="sm" className="foreign" dir="auto" lineClamp={2}>
      {names.get(userId) ?? text.numbered(userId)}
    </TextLink>
  );
}
