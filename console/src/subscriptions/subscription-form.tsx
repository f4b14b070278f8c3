import { Button, Card, Code, Group, NativeSelect, SimpleGrid, Stack, Text, Textarea, TextInput, Title } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { notifySaved } from '../elements/notify';
import { FormState, useResourceForm } from '../elements/resource-form';
import { mapVersion, type Version } from '../elements/version';
import { EVENT_NAMES, exampleOf } from './events';
import { InstructionFields } from './instruction-fields';
import { createSubscription, readSubscription, replaceSubscription, type Subscription } from './queries';
import { fieldOf, isJson, newInstruction, type SubscriptionValues, toFields, toValues, withoutSecrets } from './subscription-values';
import { useMessages } from './subscriptions.messages';

interface Props {
  /** Null: a new subscription. */
  readonly found: Version<Subscription> | null;
  /** `signingSecret`: of a new subscription; it is shown only once. */
  readonly onSaved: (saved: Subscription & { readonly signingSecret?: string }) => void;
}

/** Creates or replaces a subscription: the event, what its payload has to contain, and what is done. */
export function SubscriptionForm({ found, onSaved }: Props) {
  const text = useMessages();
  const write = async (values: SubscriptionValues, etag: string, key: string): Promise<Version<SubscriptionValues>> => {
    const fields = toFields(values, found?.value ?? null);
    const saved = found ? await replaceSubscription(found.value.id, fields, etag) : await createSubscription(fields, key);
    notifySaved(found ? text.saved : text.created, text.ignored, saved.value.ignored);
    onSaved(saved.value);
    return mapVersion(saved, toValues);
  };
  const { form, submit, isSaving, error, conflict } = useResourceForm<SubscriptionValues>({
    input: 'SubscriptionFieldsDto',
    initial: { value: toValues(found?.value ?? null), etag: found?.etag ?? '' },
    save: write,
    fieldOf,
    withoutSecrets,
    ...(found && { reload: async () => mapVersion(await readSubscription(found.value.id), toValues) }),
    validate: ({ instructions }) => ({
      instructions: instructions.length > 0 ? null : text.noInstructions,
      ...Object.fromEntries(
        instructions.flatMap(({ payload }, n) => (isJson(payload) ? [] : [[`instructions.${n}.payload`, text.noJson]])),
      ),
    }),
  });
  const { event: name, isOnce, notes, conditions, instructions } = text;
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <FormState error={error} conflict={conflict} labels={{ name, isOnce, notes, conditions, instructions }} />
        <Card withBorder>
          <EventFields form={form} />
        </Card>
        <Card withBorder>
          <ConditionFields form={form} />
        </Card>
        <div>
          <Title order={3} size="h4">
            {text.instructions}
          </Title>
          <Text size="sm">{text.placeholderHint}</Text>
          {form.errors.instructions && (
            <Text c="var(--mantine-color-error)" size="sm" role="alert">
              {form.errors.instructions}
            </Text>
          )}
        </div>
        {form.values.instructions.map((_, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: instructions have no other identity than their order; their values are controlled
          <InstructionFields key={index} form={form} index={index} />
        ))}
        <Group>
          {(['https', 'email', 'api'] as const).map((type) => (
            <Button key={type} variant="default" onClick={() => form.insertListItem('instructions', newInstruction(type))}>
              {text.add(text.types[type])}
            </Button>
          ))}
        </Group>
        <Button type="submit" loading={isSaving} w="fit-content">
          {found ? text.save : text.createIt}
        </Button>
      </Stack>
    </form>
  );
}

interface FieldsProps {
  readonly form: UseFormReturnType<SubscriptionValues>;
}

function EventFields({ form }: FieldsProps) {
  const text = useMessages();
  const { name, isOnce } = form.values;
  return (
    <Stack>
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <NativeSelect
          label={text.event}
          data={EVENT_NAMES.map((value) => ({ value, label: text.events[value] }))}
          {...form.getInputProps('name')}
        />
        <NativeSelect
          label={text.isOnce}
          data={(['false', 'true'] as const).map((value) => ({ value, label: text.onceOptions[value] }))}
          value={String(isOnce)}
          onChange={({ currentTarget: { value } }) => form.setFieldValue('isOnce', value === 'true')}
        />
      </SimpleGrid>
      <div>
        <Text size="sm">{text.example}</Text>
        <Code block className="wrapped">
          {JSON.stringify({ name, ...exampleOf(name) })}
        </Code>
      </div>
      <Textarea label={text.notes} autosize minRows={1} dir="auto" {...form.getInputProps('notes')} />
    </Stack>
  );
}

/** What the payload has to contain: a field for each member of the event's example, and for members that the subscription names already. */
function ConditionFields({ form }: FieldsProps) {
  const text = useMessages();
  const { name, conditions } = form.values;
  const { payload } = exampleOf(name);
  return (
    <Stack>
      <div>
        <Title order={3} size="h4">
          {text.conditions}
        </Title>
        <Text size="sm">{text.conditionsHint}</Text>
      </div>
      <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }}>
        {Object.keys({ ...payload, ...conditions }).map((member) => (
          <TextInput
            key={member}
            label={
              <span className="foreign">{member in payload ? text.conditionOf(member, JSON.stringify(payload[member])) : member}</span>
            }
            {...form.getInputProps(`conditions.${member}`)}
            value={conditions[member] ?? ''}
          />
        ))}
      </SimpleGrid>
    </Stack>
  );
}
