import { ActionIcon, Button, Card, Fieldset, Group, SimpleGrid, Stack, TagsInput, Textarea, TextInput, Title } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { notifications } from '@mantine/notifications';
import { useRef } from 'react';
import { CloseIcon } from '../elements/icons';
import { lengthOf } from '../elements/input-limits';
import { FormState, useResourceForm } from '../elements/resource-form';
import type { Version } from '../elements/version';
import { LicenseFields } from '../library/license-fields';
import type { Container } from '../library/queries';
import { useMessages } from './medium.messages';
import { type MediumValues, toMediumChanges, toMediumValues } from './medium-values';
import { changeMedium, readMedium, useShowSaved } from './queries';

/** How a medium is described: name, tags, licence, period of delivery and metadata. */
export function Details({ found }: { found: Version<Container> }) {
  const text = useMessages();
  const showSaved = useShowSaved();
  const latest = useRef(found.value);
  const { id } = found.value;
  const keep = (version: Version<Container>) => {
    latest.current = version.value;
    return toMediumValues(version);
  };
  const { form, submit, isSaving, error, conflict } = useResourceForm({
    input: 'MediaContainerChangesDto',
    initial: toMediumValues(found),
    validate: { name: (name) => (name.trim() ? null : text.nameMissing) },
    save: async (values, etag) => {
      const saved = await changeMedium(id, toMediumChanges(values, latest.current), etag);
      showSaved(saved);
      notifications.show({ message: text.saved });
      return keep(saved);
    },
    reload: async () => keep(await readMedium(id)),
  });
  const labels = { ...text.fields };
  return (
    <Card withBorder component="form" onSubmit={submit} noValidate aria-label={text.details}>
      <Stack>
        <Title order={2} size="h4">
          {text.details}
        </Title>
        <FormState error={error} conflict={conflict} labels={labels} />
        <TextInput label={text.fields.name} required {...form.getInputProps('name')} />
        <Textarea label={text.fields.description} autosize minRows={2} maxRows={12} {...form.getInputProps('description')} />
        <TagsInput
          label={text.fields.tags}
          {...lengthOf('MediaContainerChangesDto', 'tags[]')}
          acceptValueOnBlur
          {...form.getInputProps('tags')}
        />
        <SimpleGrid cols={{ base: 1, xs: 2 }}>
          <TextInput type="date" label={text.fields.start} {...form.getInputProps('start')} />
          <TextInput
            type="date"
            label={text.fields.end}
            description={text.endHint}
            inputWrapperOrder={['label', 'input', 'description', 'error']}
            {...form.getInputProps('end')}
          />
        </SimpleGrid>
        <Fieldset legend={text.fields.license}>
          <LicenseFields value={form.values.license} onChange={(license) => form.setFieldValue('license', license)} errors={form.errors} />
        </Fieldset>
        <Fieldset legend={text.fields.metadata}>
          <MetadataFields form={form} />
        </Fieldset>
        <Group>
          <Button type="submit" loading={isSaving} disabled={!form.isDirty()}>
            {text.save}
          </Button>
        </Group>
      </Stack>
    </Card>
  );
}

/** Further facts of a medium: a title, what it says, and its language. */
function MetadataFields({ form }: { form: UseFormReturnType<MediumValues> }) {
  const text = useMessages();
  return (
    <Stack gap="sm">
      {form.values.metadata.map((_, n) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: entries have no identity
        <Group key={n} align="flex-end" gap="sm">
          <TextInput
            label={text.metadataTitle}
            flex="1 1 120px"
            {...lengthOf('MetadataEntryDto', 'title')}
            {...form.getInputProps(`metadata.${n}.title`)}
          />
          <TextInput
            label={text.metadataContent}
            flex="3 1 200px"
            {...lengthOf('MetadataEntryDto', 'content')}
            {...form.getInputProps(`metadata.${n}.content`)}
          />
          <TextInput
            label={text.language}
            w={90}
            {...lengthOf('MetadataEntryDto', 'language')}
            {...form.getInputProps(`metadata.${n}.language`)}
          />
          <ActionIcon
            variant="default"
            size="lg"
            onClick={() => form.removeListItem('metadata', n)}
            aria-label={text.removeMetadata(n + 1)}
          >
            <CloseIcon size={16} />
          </ActionIcon>
        </Group>
      ))}
      <Button
        variant="default"
        size="xs"
        w="fit-content"
        onClick={() => form.insertListItem('metadata', { title: '', content: '', language: '' })}
      >
        {text.addMetadata}
      </Button>
    </Stack>
  );
}
