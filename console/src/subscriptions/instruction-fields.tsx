import { ActionIcon, Card, Group, NativeSelect, SimpleGrid, Stack, TagsInput, Textarea, TextInput, Title } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { type components, enumerations } from '@media-delivery/sdk';
import { focusAfterRemoval } from '../elements/focus';
import { TrashIcon } from '../elements/icons';
import { lengthOf } from '../elements/input-limits';
import type { SubscriptionValues } from './subscription-values';
import { useMessages } from './subscriptions.messages';

type Schemas = components['schemas'];
type Method = Schemas['ApiInstructionDto']['method'];

const METHODS: readonly Method[] = enumerations.HttpsInstructionDto.method;
/** The mails of the service, which are named after their events. */
const TEMPLATES = enumerations.EmailInstructionDto.template;

interface Props {
  readonly form: UseFormReturnType<SubscriptionValues>;
  readonly index: number;
}

/** One instruction: a call of a server, e-mail, or a call of the API. */
export function InstructionFields({ form, index }: Props) {
  const text = useMessages();
  const instruction = form.values.instructions[index];
  if (!instruction) return null;
  const { type } = instruction;
  return (
    <Card withBorder data-item>
      <Stack>
        <Group justify="space-between" wrap="nowrap">
          <Title order={4} size="h5">
            {text.instruction(index + 1, text.types[type])}
          </Title>
          <ActionIcon
            variant="default"
            aria-label={text.remove(index + 1)}
            onClick={({ currentTarget }) => {
              focusAfterRemoval(currentTarget);
              form.removeListItem('instructions', index);
            }}
          >
            <TrashIcon size={18} />
          </ActionIcon>
        </Group>
        {type === 'https' && <HttpsFields form={form} index={index} />}
        {type === 'email' && <EmailFields form={form} index={index} />}
        {type === 'api' && <ApiFields form={form} index={index} />}
      </Stack>
    </Card>
  );
}

const MONOSPACE = { input: { fontFamily: 'monospace' } };

function HttpsFields({ form, index }: Props) {
  const text = useMessages();
  const field = (name: string) => form.getInputProps(`instructions.${index}.${name}`);
  return (
    <>
      <TextInput type="url" label={text.url} placeholder="https://" required {...field('url')} />
      <NativeSelect
        label={text.method}
        w={140}
        data={[{ value: '', label: 'POST' }, ...METHODS.filter((one) => one !== 'POST')]}
        {...field('method')}
      />
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <Textarea label={text.headers} description={text.headersHint} autosize minRows={2} styles={MONOSPACE} {...field('headers')} />
        <Textarea label={text.payload} description={text.payloadHint} autosize minRows={2} styles={MONOSPACE} {...field('payload')} />
      </SimpleGrid>
    </>
  );
}

function EmailFields({ form, index }: Props) {
  const text = useMessages();
  const field = (name: string) => form.getInputProps(`instructions.${index}.${name}`);
  const hasOwnText = form.values.instructions[index]?.template === '';
  return (
    <>
      <TagsInput label={text.to} description={text.toHint} splitChars={[',']} acceptValueOnBlur {...field('to')} />
      <NativeSelect label={text.template} maw={420} data={[{ value: '', label: text.ownText }, ...TEMPLATES]} {...field('template')} />
      {hasOwnText && (
        <>
          <TextInput label={text.subject} {...lengthOf('EmailInstructionDto', 'subject')} required dir="auto" {...field('subject')} />
          <Textarea
            label={text.text}
            autosize
            minRows={3}
            {...lengthOf('EmailInstructionDto', 'text')}
            required
            dir="auto"
            {...field('text')}
          />
        </>
      )}
    </>
  );
}

function ApiFields({ form, index }: Props) {
  const text = useMessages();
  const field = (name: string) => form.getInputProps(`instructions.${index}.${name}`);
  return (
    <>
      <Group align="flex-start">
        <NativeSelect label={text.method} w={140} data={[...METHODS]} {...field('method')} />
        <TextInput flex="1 1 260px" label={text.path} placeholder="v5/mediacontainer/:mediaContainerId" required {...field('path')} />
      </Group>
      <Textarea label={text.payload} description={text.apiPayloadHint} autosize minRows={2} styles={MONOSPACE} {...field('payload')} />
    </>
  );
}
