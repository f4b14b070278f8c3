import { Button, Card, List, NativeSelect, Stack, Text, Textarea, Title } from '@mantine/core';
import { useState } from 'react';
import { useDraft } from '../elements/drafts';
import { Failure } from '../elements/page-states';
import { EVENT_NAMES, type EventName, exampleOf } from './events';
import { useDryRun, useSubscriptions } from './queries';
import { isJson, read } from './subscription-values';
import { useMessages } from './subscriptions.messages';

const show = (name: EventName): string => JSON.stringify(exampleOf(name).payload, null, 2);

interface Typed {
  readonly name: EventName;
  /** JSON. */
  readonly payload: string;
}

/** Says which subscriptions would act on an event, or whether the one with an id would, and why not. */
export function DryRun({ event, subscriptionId }: { event: EventName; subscriptionId?: number }) {
  const text = useMessages();
  const keep = (): Typed | undefined => (payload === show(name) ? undefined : { name, payload });
  const draft: Typed | undefined = useDraft(`dry run ${subscriptionId}`, keep);
  const [name, setName] = useState(draft?.name ?? event);
  const [payload, setPayload] = useState(draft?.payload ?? show(event));
  const { mutate, data, error, isPending } = useDryRun();
  const { data: subscriptions } = useSubscriptions();
  const eventOf = (id: number) => (subscriptions?.find((one) => one.id === id)?.name ?? name) as EventName;
  const value = isJson(payload) ? read(payload) : null;
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  const results = data?.filter((one) => subscriptionId === undefined || one.subscriptionId === subscriptionId);
  const run = (submitted: React.FormEvent) => {
    submitted.preventDefault();
    if (isObject) mutate({ name, method: exampleOf(name).method, payload: value as Record<string, unknown> });
  };
  const choose = (chosen: EventName) => {
    setName(chosen);
    setPayload(show(chosen));
  };
  return (
    <Card withBorder component="form" onSubmit={run}>
      <Stack>
        <div>
          <Title order={2} size="h4">
            {text.dryRun}
          </Title>
          <Text size="sm">{text.dryRunHint}</Text>
        </div>
        <NativeSelect
          label={text.event}
          value={name}
          maw={420}
          data={EVENT_NAMES.map((one) => ({ value: one, label: text.events[one] }))}
          onChange={({ currentTarget }) => choose(currentTarget.value as EventName)}
        />
        <Textarea
          label={text.eventJson}
          value={payload}
          onChange={({ currentTarget }) => setPayload(currentTarget.value)}
          error={isObject ? null : text.noJson}
          autosize
          minRows={3}
          maxRows={16}
          styles={{ input: { fontFamily: 'monospace' } }}
        />
        <Button type="submit" loading={isPending} w="fit-content">
          {text.run}
        </Button>
        {error && <Failure error={error} />}
        {results && (
          <div role="status">
            {results.length === 0 && <Text>{text.nothingActs}</Text>}
            {results.map(({ subscriptionId: id, matches, reasons }) => (
              <div key={id}>
                <Text fw={600}>{(matches ? text.acts : text.actsNot)(text.titleOf(text.events[eventOf(id)], id))}</Text>
                <List size="sm">
                  {reasons.map(({ condition, path, expected, actual }) => (
                    <List.Item key={`${condition} ${path}`} className="foreign">
                      {text.mismatch(path || condition, JSON.stringify(expected).slice(0, 500), JSON.stringify(actual).slice(0, 500))}
                    </List.Item>
                  ))}
                </List>
              </div>
            ))}
          </div>
        )}
      </Stack>
    </Card>
  );
}
