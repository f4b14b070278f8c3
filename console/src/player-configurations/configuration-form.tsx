import { Button, Card, Checkbox, Group, NativeSelect, SimpleGrid, Stack, Text, TextInput, Title } from '@mantine/core';
import { MEDIA_TYPES, type MediaType } from '../elements/media-types';
import { notifySaved } from '../elements/notify';
import { FormState, useResourceForm } from '../elements/resource-form';
import { mapVersion, type Version } from '../elements/version';
import { AccessFields } from './access-fields';
import { type ConfigurationValues, fieldOf, toBody, toValues } from './configuration-values';
import { useMessages } from './configurations.messages';
import { DeliveredFormats } from './delivered-formats';
import { LimitFields } from './limit-fields';
import { type Configuration, changeConfiguration, createConfiguration, readConfiguration } from './queries';

const WHOLE = /^[1-9]\d{0,8}$/;

interface Props {
  /** Null: a new player configuration. */
  readonly found: Version<Configuration> | null;
  readonly type?: MediaType | undefined;
  readonly onSaved: (saved: Configuration) => void;
}

/** Creates or changes a player configuration. */
export function ConfigurationForm({ found, type, onSaved }: Props) {
  const text = useMessages();
  const write = async (
    values: ConfigurationValues,
    etag: string,
    key: string,
    read: ConfigurationValues,
  ): Promise<Version<ConfigurationValues>> => {
    const body = toBody(values, found?.value ?? null, read);
    const saved = found ? await changeConfiguration(found.value.id, body, etag) : await createConfiguration(body, key);
    notifySaved(found ? text.saved : text.created, text.ignored, saved.value.ignored);
    onSaved(saved.value);
    return mapVersion(saved, toValues);
  };
  const { form, submit, isSaving, error, conflict } = useResourceForm<ConfigurationValues>({
    input: 'CreatePlayerConfigurationDto',
    initial: { value: toValues(found?.value ?? null, type), etag: found?.etag ?? '' },
    save: write,
    fieldOf,
    ...(found && { reload: async () => mapVersion(await readConfiguration(found.value.id), toValues) }),
    validate: {
      name: (name) => (name.trim() ? null : text.nameMissing),
      width: (width) => (width === '' || WHOLE.test(width) ? null : text.sizeWrong),
      height: (height) => (height === '' || WHOLE.test(height) ? null : text.sizeWrong),
      limits: {
        cidr: (cidr: string) => (cidr.trim() ? null : text.rangeMissing),
        limit: (limit: string) => (WHOLE.test(limit) ? null : text.limitWrong),
      },
    },
  });
  const { name, template: templateId, width, height, autoGenerate, formats, automaticFormats, original: download } = text;
  const { signedIn, accessKeys, clientId } = text;
  const { addresses, isBoth, pages, host, limits } = text;
  const labels = {
    ...{ name, templateId, width, height, autoGenerate, formats, automaticFormats, download, signedIn, accessKeys, clientId },
    ...{ addresses, isBoth, pages, host, limits },
  };
  const hasPlain = form.values.type === 'image' || form.values.type === 'document';
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <FormState error={error} conflict={conflict} labels={labels} />
        <Card withBorder>
          <Stack>
            <TextInput label={text.name} required dir="auto" {...form.getInputProps('name')} />
            <SimpleGrid cols={{ base: 1, sm: 2 }}>
              {!found && (
                <NativeSelect
                  label={text.kind}
                  description={text.kindHint}
                  data={MEDIA_TYPES.map((value) => ({ value, label: text.types[value] }))}
                  {...form.getInputProps('type')}
                  onChange={({ currentTarget: { value } }) => form.setValues({ type: value as MediaType, formats: [], templateId: '1' })}
                />
              )}
              <NativeSelect
                label={text.template}
                data={templatesOf(hasPlain, form.values.templateId).map((value) => ({ value, label: text.templates[value] ?? value }))}
                {...form.getInputProps('templateId')}
              />
            </SimpleGrid>
            <SimpleGrid cols={{ base: 1, sm: 2 }}>
              <TextInput label={text.width} description={text.sizeHint} inputMode="numeric" {...form.getInputProps('width')} />
              <TextInput label={text.height} description={text.sizeHint} inputMode="numeric" {...form.getInputProps('height')} />
            </SimpleGrid>
            <Checkbox label={text.autoGenerate} {...form.getInputProps('autoGenerate', { type: 'checkbox' })} />
          </Stack>
        </Card>
        <Card withBorder>
          <Stack>
            <DeliveredFormats type={form.values.type} {...form.getInputProps('formats')} />
            <Checkbox
              label={text.automaticFormats}
              description={text.automaticFormatsHint}
              {...form.getInputProps('automaticFormats', { type: 'checkbox' })}
            />
            {form.values.automaticFormats && (
              <Checkbox label={text.original} description={text.originalHint} {...form.getInputProps('download', { type: 'checkbox' })} />
            )}
          </Stack>
        </Card>
        <Card withBorder>
          <Stack>
            <Title order={3} size="h4">
              {text.access}
            </Title>
            <AccessFields form={form} />
          </Stack>
        </Card>
        <Card withBorder>
          <Stack>
            <div>
              <Title order={3} size="h4">
                {text.limits}
              </Title>
              <Text size="sm">{text.limitsHint}</Text>
            </div>
            <LimitFields form={form} />
          </Stack>
        </Card>
        <Group>
          <Button type="submit" loading={isSaving} disabled={found !== null && !form.isDirty()}>
            {found ? text.save : text.createIt}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

/** The templates that can be chosen; an installation may have others, of which one is chosen already. */
function templatesOf(hasPlain: boolean, chosen: string): readonly string[] {
  const known = hasPlain ? ['1', '2', '0'] : ['1', '2'];
  return known.includes(chosen) ? known : [...known, chosen];
}
