import { Anchor, Button, Card, Group, MultiSelect, SimpleGrid, Stack, Text, TextInput, Title } from '@mantine/core';
import { useForm } from '@mantine/form';
import { ProblemError } from '@media-delivery/sdk';
import { useState } from 'react';
import { CopyButton } from '../elements/copy-button';
import { DeleteButton } from '../elements/delete-button';
import { Failure } from '../elements/page-states';
import { useFormatList } from '../formats/queries';
import { useFormats } from '../language';
import type { Container } from '../library/queries';
import { useMessages } from './medium.messages';
import { useDownloadLinks, useLinkChanges } from './queries';

/** The links by which anyone can download files of a medium: created here, and ended. */
export function DownloadLinks({ container }: { container: Container }) {
  const text = useMessages();
  const { date, number } = useFormats();
  const { data: links } = useDownloadLinks(container.id);
  const { endDownload } = useLinkChanges();
  const [isCreating, setCreating] = useState(false);
  return (
    <Card withBorder component="section" aria-label={text.downloadLinks}>
      <Stack>
        <Title order={2} size="h4">
          {text.downloadLinks}
        </Title>
        {links?.length === 0 && <Text size="sm">{text.noDownloadLinks}</Text>}
        {links?.map((link) => (
          <Group key={link.id} gap="sm">
            <Anchor href={link.url} target="_blank" rel="noreferrer" className="foreign" flex="1 1 180px" lineClamp={2}>
              {link.title || text.downloadPage}
            </Anchor>
            <Text size="sm">
              {link.end ? text.until(date(new Date(link.end * 1_000))) : text.noEnd} · {text.uses(number(link.uses), link.uses)}
            </Text>
            <CopyButton label={text.copyLink} value={link.url} />
            <DeleteButton
              name={link.title || text.downloadPage}
              consequence={text.endDownloadLink}
              onDelete={async () => await endDownload.mutateAsync(link.id)}
            />
          </Group>
        ))}
        {isCreating ? (
          <NewDownloadLink container={container} onDone={() => setCreating(false)} />
        ) : (
          <Button variant="light" w="fit-content" onClick={() => setCreating(true)}>
            {text.newDownloadLink}
          </Button>
        )}
      </Stack>
    </Card>
  );
}

/** The last second of a day in UTC, in Unix seconds. */
const endOfDay = (day: string): number => Date.parse(`${day}T23:59:59Z`) / 1_000;

function NewDownloadLink({ container, onDone }: { container: Container; onDone: () => void }) {
  const text = useMessages();
  const { data: formats } = useFormatList();
  const { createDownload } = useLinkChanges();
  const [error, setError] = useState<unknown>(null);
  const made = new Set(container.media.filter(({ status }) => status === 'successful').map(({ formatId }) => formatId));
  const fitting = (formats ?? []).filter(
    ({ id, converter, usage, settings }) =>
      usage !== 'preview' &&
      (made.has(id) || (converter === 'original' && (settings.mediaTypes as readonly string[] | undefined)?.includes(container.type))),
  );
  const form = useForm({
    initialValues: { title: '', end: '', formatIds: [] as string[] },
    validate: { formatIds: (ids) => (ids.length > 0 ? null : text.formatsMissing) },
  });
  const save = form.onSubmit(async ({ title, end, formatIds }) => {
    setError(null);
    const body = { mediaContainerIds: [container.id], formatIds: formatIds.map(Number), title: title || null };
    await createDownload.mutateAsync({ ...body, ...(end && { end: endOfDay(end) }) }).then(onDone, (thrown: unknown) => {
      const problems = thrown instanceof ProblemError ? thrown.errors : [];
      form.setErrors(Object.fromEntries(problems.map(({ path, message }) => [path.split('.')[0] ?? path, message])));
      if (problems.length === 0) setError(thrown);
    });
  });
  return (
    <form onSubmit={save} aria-label={text.newDownloadLink} noValidate>
      <Stack gap="sm">
        <SimpleGrid cols={{ base: 1, sm: 3 }}>
          <MultiSelect
            label={text.offered}
            data={fitting.map(({ id, name }) => ({ value: String(id), label: name.slice(0, 300) }))}
            required
            {...form.getInputProps('formatIds')}
          />
          <TextInput label={text.title} maxLength={255} {...form.getInputProps('title')} />
          <TextInput type="date" label={text.lastDay} {...form.getInputProps('end')} />
        </SimpleGrid>
        {error !== null && <Failure error={error} />}
        <Group>
          <Button type="submit" loading={createDownload.isPending}>
            {text.create}
          </Button>
          <Button variant="default" onClick={onDone}>
            {text.cancel}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
