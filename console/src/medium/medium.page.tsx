import { Anchor, Button, Card, Group, Skeleton, Stack, TagsInput, Textarea, TextInput, Title } from '@mantine/core';
import { useForm } from '@mantine/form';
import { notifications } from '@mantine/notifications';
import { Link, useParams } from '@tanstack/react-router';
import { notifyFailure } from '../elements/notify';
import { Failure } from '../elements/page-states';
import type { Container } from '../library/queries';
import { EmbedLinks } from './embed-links';
import { Files } from './files';
import { useMessages } from './medium.messages';
import { useDescribe, useMedium } from './queries';
import { Watched } from './watched';
import { WhoGetsIn } from './who-gets-in';

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
      <Files container={medium.data} />
      <WhoGetsIn container={medium.data} />
      <Watched id={medium.data.id} />
      <Details key={medium.data.updatedAt} container={medium.data} />
    </Stack>
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
