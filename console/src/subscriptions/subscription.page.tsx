import { Alert, Anchor, Button, Card, Code, Group, Skeleton, Stack, Text, Title } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { CopyButton } from '../elements/copy-button';
import { DeleteButton } from '../elements/delete-button';
import { Failure } from '../elements/page-states';
import { useFormats } from '../language';
import { Attempts } from './attempts';
import { DryRun } from './dry-run';
import type { EventName } from './events';
import { useDeleteSubscription, useSubscription } from './queries';
import { SubscriptionForm } from './subscription-form';
import { useMessages } from './subscriptions.messages';

/** A new subscription; once it is created, its signing secret, which is shown only then. */
export function NewSubscriptionPage() {
  const text = useMessages();
  const queries = useQueryClient();
  const [created, setCreated] = useState<{ readonly id: number; readonly signingSecret?: string } | null>(null);
  return (
    <Stack>
      <Back />
      <Title order={1} size="h2">
        {text.newTitle}
      </Title>
      {created ? (
        <Card withBorder role="status">
          <Stack align="flex-start">
            <Title order={2} size="h4">
              {text.secretTitle}
            </Title>
            <Text>{text.secretText}</Text>
            <Code block className="foreign wrapped">
              {created.signingSecret}
            </Code>
            <Group>
              <CopyButton label={text.copySecret} value={created.signingSecret ?? ''} />
              <Button component={Link} to="/subscriptions/$id" params={{ id: String(created.id) } as never} size="xs">
                {text.toSubscription}
              </Button>
            </Group>
          </Stack>
        </Card>
      ) : (
        <SubscriptionForm
          found={null}
          onSaved={(saved) => {
            void queries.invalidateQueries({ queryKey: ['subscriptions'] });
            setCreated(saved);
          }}
        />
      )}
    </Stack>
  );
}

/** One subscription: its attempts, whether it would act on an event, and what it does. */
export function SubscriptionPage() {
  const text = useMessages();
  const { dateTime } = useFormats();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const { id = '' } = useParams({ strict: false }) as { id?: string };
  const found = useSubscription(Number(id));
  const { mutateAsync } = useDeleteSubscription(Number(id));
  if (found.isError) return <Failure error={found.error} onRetry={() => void found.refetch()} />;
  if (!found.data) return <Skeleton height={320} radius="md" aria-label={text.loading} />;
  const subscription = found.data.value;
  const title = text.titleOf(text.events[subscription.name as EventName] ?? subscription.name, subscription.id);
  const remove = async () => {
    await mutateAsync();
    notifications.show({ message: text.deleted });
    await navigate({ to: '/subscriptions' });
  };
  return (
    <Stack>
      <Back />
      <Title order={1} size="h2">
        {title}
      </Title>
      {subscription.secretsUnreadable && <Alert role="status">{text.unreadable}</Alert>}
      {subscription.processedAt && <Alert role="status">{text.done(dateTime(subscription.processedAt))}</Alert>}
      <Attempts id={subscription.id} />
      <DryRun event={subscription.name as EventName} subscriptionId={subscription.id} />
      <SubscriptionForm
        key={subscription.id}
        found={found.data}
        onSaved={() => void queries.invalidateQueries({ queryKey: ['subscriptions'] })}
      />
      <DeleteButton name={title} consequence={text.deleteText} onDelete={remove} />
    </Stack>
  );
}

function Back() {
  const text = useMessages();
  return (
    <Anchor component={Link} to="/subscriptions" w="fit-content">
      {text.back}
    </Anchor>
  );
}
