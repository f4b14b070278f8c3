import { Button, Checkbox, Group, NativeSelect, SimpleGrid, Skeleton, Stack, Table, Text, TextInput, Title } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { ProblemError } from '@media-delivery/sdk';
import { type ReactNode, useState } from 'react';
import { BackLink } from './back-link';
import { CopyButton } from './copy-button';
import { DeleteButton } from './delete-button';
import { focusAfterRemoval } from './focus';
import { type Found, ListPage, Loaded, PageHead, Results } from './list-page';
import { MediumPicker } from './medium-picker';
import { notifyFailure, notifySaved, notifyWithUndo } from './notify';
import { Empty } from './page-states';
import { QrCode } from './qr-code';
import { FormState, useResourceForm } from './resource-form';
import { useConfirm } from './use-confirm';
import type { Conflict } from './version';
import { WideTable } from './wide-table';

/** Text as strangers may send it: markup, wider than any page, with a mark that turns its direction round. */
const HOSTILE = `<img src=x onerror=alert(1)> ${'wide'.repeat(250)} \u202egnp.evil`;
const ERROR = new ProblemError({ status: 0, code: 'network', detail: 'The service cannot be reached.' });
const LOADED: Found = { isError: false, isPending: false, error: null, refetch: () => {} };
const LOADING: Found = { ...LOADED, isPending: true };
const FAILED: Found = { ...LOADED, isError: true, error: ERROR };
const WITH_MORE: Found = { ...LOADED, hasNextPage: true, fetchNextPage: () => {} };

function Confirmation() {
  const { ask, dialog } = useConfirm();
  return (
    <>
      <Button
        variant="default"
        aria-haspopup="dialog"
        onClick={() => ask({ title: 'Sign out everywhere?', consequence: 'This fails.', verb: 'Sign out', act: fail })}
      >
        Sign out everywhere
      </Button>
      {dialog}
    </>
  );
}

/** The shared elements of the console in all of their states, for those who change them. */
export function ElementsPage() {
  return (
    <Stack gap="xl">
      <PageHead
        title="Elements"
        intro="What the pages of the console share, in all states. This page is not part of an installation in production."
      >
        <NativeSelect label="Filter" data={['All', 'Some']} />
        <Button>New element</Button>
      </PageHead>
      <Example title="Buttons and links">
        <Group>
          <Button>Primary</Button>
          <Button variant="default">Default</Button>
          <Button variant="light">Light</Button>
          <Button color="red">Red</Button>
          <Button loading>Loading</Button>
          <Button disabled>Disabled</Button>
          <CopyButton label="Copy" value="copied" />
          <BackLink to="/">Back to the library</BackLink>
        </Group>
      </Example>
      <Example title="Dialogs">
        <Group>
          <DeleteButton name="a thing" consequence="It cannot be brought back." onDelete={async () => {}} />
          <Confirmation />
          <DeleteButton verb="destroy" name={HOSTILE} consequence="This fails." onDelete={fail}>
            <Checkbox label="What depends on it, too" />
          </DeleteButton>
        </Group>
      </Example>
      <Example title="Messages">
        <Group>
          <Button variant="default" onClick={() => notifySaved('It is saved.', 'Parts were ignored', [{ path: 'name', reason: HOSTILE }])}>
            Saved
          </Button>
          <Button variant="default" onClick={() => notifyFailure('It was not saved', new Error(HOSTILE))}>
            Failed
          </Button>
          <Button variant="default" onClick={() => notifyWithUndo('It is removed.', { label: 'Undo', act: async () => {} })}>
            With undo
          </Button>
          <Button variant="default" onClick={() => notifications.clean()}>
            Close all
          </Button>
        </Group>
      </Example>
      <Example title="A list that is loaded, failed, is empty">
        <Results found={LOADING}>{null}</Results>
        <Results found={FAILED} isEmpty>
          {null}
        </Results>
        <Results found={LOADED} isEmpty empty={<Empty title="No element yet">Create one.</Empty>}>
          {null}
        </Results>
      </Example>
      <Example title="A list that was found, and failed when it was loaded again">
        <ListPage title="Elements" intro="They are what pages consist of." found={WITH_MORE} controls={<Button>New element</Button>}>
          <Rows />
        </ListPage>
        <Results found={FAILED}>
          <Rows />
        </Results>
      </Example>
      <Example title="A resource that is loaded, or failed">
        <Loaded found={{ ...LOADING, data: undefined }}>{() => null}</Loaded>
        <Loaded found={{ ...FAILED, error: new Error(HOSTILE), data: undefined }}>{() => null}</Loaded>
      </Example>
      <Example title="A form with errors, one that failed, and one that another person has crossed">
        <SimpleGrid cols={{ base: 1, md: 3 }}>
          <Form error={null} conflict={null} problem="Enter a name." />
          <Form error={ERROR} conflict={null} />
          <Form error={null} conflict={{ taken: ['name'], kept: [{ field: 'notes', theirs: HOSTILE }] }} />
        </SimpleGrid>
      </Example>
      <Example title="Media">
        <MediumPicker chosen={undefined} onChoose={() => {}} />
        <QrCode text="https://media.example.org/" label="QR code of an address" />
        <Skeleton height={120} />
      </Example>
    </Stack>
  );
}

const fail = async (): Promise<never> => {
  throw ERROR;
};

function Example({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Stack component="section">
      <Title order={2} size="h3">
        {title}
      </Title>
      {children}
    </Stack>
  );
}

function Rows() {
  const [names, setNames] = useState(['A button', HOSTILE, 'A link']);
  return (
    <WideTable minWidth={640} label="Elements" columns={['Name', 'State', '']}>
      {names.map((name) => (
        <Table.Tr key={name} data-item>
          <Table.Td maw={320}>
            <Text className="foreign" dir="auto" lineClamp={2}>
              {name}
            </Text>
          </Table.Td>
          <Table.Td>Ready</Table.Td>
          <Table.Td>
            <Button
              size="compact-sm"
              variant="default"
              aria-label={`Remove ${name}`}
              onClick={({ currentTarget }) => {
                focusAfterRemoval(currentTarget);
                setNames(names.filter((one) => one !== name));
              }}
            >
              Remove
            </Button>
          </Table.Td>
        </Table.Tr>
      ))}
    </WideTable>
  );
}

interface FormProps {
  readonly error: unknown;
  readonly conflict: Conflict | null;
  readonly problem?: string;
}

function Form({ error, conflict, problem }: FormProps) {
  const name = `${problem} ${error} ${conflict?.taken}`;
  const { form, submit } = useResourceForm({ name, initial: { value: { name: '', notes: '' }, etag: '' }, save: fail });
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <FormState error={error} conflict={conflict} labels={{ name: 'Name', notes: 'Notes' }} />
        <TextInput label="Name" required {...form.getInputProps('name')} error={problem} />
        <TextInput label="Notes" {...form.getInputProps('notes')} />
        <Button type="submit" w="fit-content">
          Save
        </Button>
      </Stack>
    </form>
  );
}
