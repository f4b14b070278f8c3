import { Anchor, Button, Card, Group, MultiSelect, SimpleGrid, Stack, Text, TextInput, Title } from '@mantine/core';
import { useForm } from '@mantine/form';
import { ProblemError } from '@media-delivery/sdk';
import { useState } from 'react';
import { CopyButton } from '../elements/copy-button';
import { focusAfterRemoval } from '../elements/focus';
import { withLengths } from '../elements/input-limits';
import { MAX_NAME } from '../elements/max-name';
import { Failure } from '../elements/page-states';
import { useFormatList } from '../formats/queries';
import { useFormats } from '../language';
import type { Container } from '../library/queries';
import { useEnding } from '../shares/ending';
import { useMessages } from './medium.messages';
import { useDownloadLinks, useNewDownloadLink } from './queries';

/** The links by which anyone can download files of a medium: created here, and ended. */
export function DownloadLinks({ container }: { container: Container }) {
  const text = useMessages();
  const { date, number } = useFormats();
  const { data: found } = useDownloadLinks(container.id);
  const { hidden, end } = useEnding('download');
  const links = found?.filter(({ id }) => !hidden.has(id));
  const [isCreating, setCreating] = useState(false);
  return (
    <Card withBorder component="section" aria-label={text.downloadLinks}>
      <Stack>
        <Title order={2} size="h4">
          {text.downloadLinks}
        </Title>
        {links?.length === 0 && <Text size="sm">{text.noDownloadLinks}</Text>}
        {links?.map((link) => (
          <Group key={link.id} gap="sm" data-item>
            <Anchor href={link.url} target="_blank" rel="noreferrer" className="foreign" flex="1 1 180px" lineClamp={2}>
              {link.title || text.downloadPage}
            </Anchor>
            <Text size="sm">
              {link.end ? text.until(date(new Date(link.end * 1_000))) : text.noEnd} · {text.uses(number(link.uses), link.uses)}
            </Text>
            <CopyButton label={text.copyLink} value={link.url} />
            <Button
              color="red"
              variant="light"
              aria-label={text.endLink(link.title || text.downloadPage)}
              onClick={({ currentTarget }) => {
                focusAfterRemoval(currentTarget);
                end([link.id]);
              }}
            >
              {text.end}
            </Button>
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
  const { mutateAsync, isPending } = useNewDownloadLink();
  const [error, setError] = useState<unknown>(null);
  const made = new Set(container.media.filter(({ status }) => status === 'successful').map(({ formatId }) => formatId));
  const fitting = (formats ?? []).filter(
    ({ id, converter, usage, settings }) =>
      usage !== 'preview' &&
      (made.has(id) || (converter === 'original' && (settings.mediaTypes as readonly string[] | undefined)?.includes(container.type))),
  );
  const form = useForm({
    initialValues: { title: '', end: '', formatIds: [] as string[] },
    ...withLengths('CreateDownloadLinkDto'),
    validate: { formatIds: (ids) => (ids.length > 0 ? null : text.formatsMissing) },
  });
  const save = form.onSubmit(async ({ title, end, formatIds }) => {
    setError(null);
    const body = { mediaContainerIds: [container.id], formatIds: formatIds.map(Number), title: title || null };
    await mutateAsync({ ...body, ...(end && { end: endOfDay(end) }) }).then(onDone, (thrown: unknown) => {
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
            data={fitting.map(({ id, name }) => ({ value: String(id), label: name.slice(0, MAX_NAME) }))}
            required
            {...form.getInputProps('formatIds')}
          />
          <TextInput label={text.title} {...form.getInputProps('title')} />
          <TextInput type="date" label={text.lastDay} {...form.getInputProps('end')} />
        </SimpleGrid>
        {error !== null && <Failure error={error} />}
        <Group>
          <Button type="submit" loading={isPending}>
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
