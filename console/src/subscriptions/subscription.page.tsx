import { Alert, Card, Code, Group, Stack, Text, Title } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { BackLink } from '../elements/back-link';
import { CopyButton } from '../elements/copy-button';
import { DeleteButton } from '../elements/delete-button';
import { ButtonLink } from '../elements/links';
import { Loaded } from '../elements/list-page';
import type { Version } from '../elements/version';
import { useFormats } from '../language';
import { keys } from '../query-keys';
import { Attempts } from './attempts';
import { DryRun } from './dry-run';
import type { EventName } from './events';
import { type Subscription, useDeleteSubscription, useSubscription } from './queries';
import { SubscriptionForm } from './subscription-form';
import { useMessages } from './subscriptions.messages';

/** A new subscription; once it is created, its signing secret, which is shown only then. */
export function NewSubscriptionPage() {
  const text = useMessages();
  const queries = useQueryClient();
  const [created, setCreated] = useState<{ readonly id: number; readonly signingSecret?: string } | null>(null);
  return (
    <Stack>
      <BackLink to="/subscriptions">{text.back}</BackLink>
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
              <ButtonLink to="/subscriptions/$id" params={{ id: String(created.id) }} size="xs">
                {text.toSubscription}
              </ButtonLink>
            </Group>
          </Stack>
        </Card>
      ) : (
        <SubscriptionForm
          found={null}
          onSaved={(saved) => {
            void queries.invalidateQueries({ queryKey: keys.subscriptions.all });
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
  const { id = '' } = useParams({ strict: false }) as { id?: string };
  return (
    <Stack>
      <BackLink to="/subscriptions">{text.back}</BackLink>
      <Loaded found={useSubscription(Number(id))}>{(version) => <OneSubscription found={version} />}</Loaded>
    </Stack>
  );
}

function OneSubscription({ found }: { found: Version<Subscription> }) {
  const text = useMessages();
  const { dateTime } = useFormats();
  const queries = useQueryClient();
  const subscription = found.value;
  const { mutateAsync } = useDeleteSubscription(subscription.id);
  const title = text.titleOf(text.events[subscription.name as EventName] ?? subscription.name, subscription.id);
  return (
    <>
      <Title order={1} size="h2">
        {title}
      </Title>
      {subscription.secretsUnreadable && <Alert role="status">{text.unreadable}</Alert>}
      {subscription.processedAt && <Alert role="status">{text.done(dateTime(subscription.processedAt))}</Alert>}
      <Attempts id={subscription.id} />
      <DryRun event={subscription.name as EventName} subscriptionId={subscription.id} />
      <SubscriptionForm
        key={subscription.id}
        found={found}
        onSaved={() => void queries.invalidateQueries({ queryKey: keys.subscriptions.all })}
      />
      <DeleteButton
        name={title}
        consequence={text.deleteText}
        onDelete={async () => await mutateAsync()}
        done={text.deleted}
        leadsTo="/subscriptions"
      />
    </>
  );
}
