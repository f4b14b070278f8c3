import {
  Anchor,
  Badge,
  Button,
  Card,
  Group,
  Progress,
  Skeleton,
  Stack,
  Table,
  TagsInput,
  Text,
  Textarea,
  TextInput,
  Title,
} from '@mantine/core';
import { useForm } from '@mantine/form';
import { notifications } from '@mantine/notifications';
import { Link, useParams } from '@tanstack/react-router';
import { notifyFailure } from '../elements/notify';
import { Failure } from '../elements/page-states';
import { useFormats } from '../language';
import type { Container } from '../library/queries';
import { EmbedLinks } from './embed-links';
import { useMessages } from './medium.messages';
import { useDescribe, useJobs, useMedium } from './queries';

/** One medium: as viewers get it, what it consists of, and how it is described. */
export function MediumPage() {
  const text = useMessages();
  const { id = '' } = useParams({ strict: false }) as { id?: string };
  const medium = useMedium(Number(id));
  if (medium.isError) return <Failure error={medium.error} onRetry={() => void medium.refetch()} />;
  if (!medium.data) return <Skeleton height={320} radius="md" aria-label={text.loading} />;
  return (
    <Stack>
      <Anchor component={Link} to="/" w="fit-content">
        {text.back}
      </Anchor>
      <Title order={1} size="h2" className="foreign" dir="auto">
        {medium.data.name}
      </Title>
      <EmbedLinks container={medium.data} />
      <Items container={medium.data} />
      <Details key={medium.data.updatedAt} container={medium.data} />
    </Stack>
  );
}

/** The original, its renditions and tracks, and what is being made. */
function Items({ container }: { container: Container }) {
  const text = useMessages();
  const { size, duration } = useFormats();
  const { data: jobs } = useJobs(container.id);
  const running = jobs?.filter(({ status }) => status === 'running') ?? [];
  return (
    <Card withBorder>
      <Stack gap="sm">
        <Title order={2} size="h4">
          {text.files}
        </Title>
        <Table.ScrollContainer minWidth={520}>
          <Table>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>{text.file}</Table.Th>
                <Table.Th>{text.kind}</Table.Th>
                <Table.Th>{text.dimensions}</Table.Th>
                <Table.Th>{text.size}</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {container.media.map((item) => (
                <Table.Tr key={item.id}>
                  <Table.Td className="foreign" dir="auto">
                    {item.fileName.slice(0, 300)}.{item.fileExtension}
                  </Table.Td>
                  <Table.Td>{item.formatId === null ? <Badge>{text.original}</Badge> : (item.role ?? item.codec ?? '')}</Table.Td>
                  <Table.Td>
                    {item.width && item.height ? `${item.width} × ${item.height}` : ''} {item.duration ? duration(item.duration) : ''}
                  </Table.Td>
                  <Table.Td>{size(item.fileSize)}</Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
        {running.map((job) => (
          <div key={job.jobId}>
            <Text size="sm">{text.making(job.type)}</Text>
            <Progress value={job.progress ?? 0} aria-label={text.making(job.type)} />
          </div>
        ))}
      </Stack>
    </Card>
  );
}

function Details({ container }: { container: Container }) {
  const text = useMessages();
  const { mutateAsync, isPending } = useDescribe(container.id);
  const form = useForm({
    initialValues: { name: container.name, description: container.description, tags: [...container.tags] },
    validate: { name: (name) => (name.trim() ? null : text.nameMissing) },
  });
  const save = form.onSubmit(async (values) => {
    try {
      await mutateAsync(values);
      notifications.show({ message: text.saved });
    } catch (error) {
      notifyFailure(text.notSaved, error);
    }
  });
  return (
    <Card withBorder component="form" onSubmit={save}>
      <Stack>
        <Title order={2} size="h4">
          {text.details}
        </Title>
        <TextInput label={text.name} {...form.getInputProps('name')} />
        <Textarea label={text.description} autosize minRows={2} {...form.getInputProps('description')} />
        <TagsInput label={text.tags} {...form.getInputProps('tags')} />
        <Group>
          <Button type="submit" loading={isPending} disabled={!form.isDirty()}>
            {text.save}
          </Button>
        </Group>
      </Stack>
    </Card>
  );
}
