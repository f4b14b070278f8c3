import { Button, Checkbox, Group, NativeSelect, SimpleGrid, Stack, Text, TextInput, Title } from '@mantine/core';
import { enumerations } from '@media-delivery/sdk';
import type { MediaType } from '../elements/media-types';
import { notifySaved } from '../elements/notify';
import { FormState, useResourceForm } from '../elements/resource-form';
import { mapVersion, type Version } from '../elements/version';
import { type FormatValues, fieldOf, problemOf, toSettings, toValues } from './format-values';
import { useMessages } from './formats.messages';
import { ParameterField } from './parameter-field';
import { changeFormat, createFormat, type Format, readFormat } from './queries';

interface Props {
  readonly blueprint: Format;
  /** Null: a new format. */
  readonly format: Version<Format> | null;
  readonly onSaved: (saved: Format) => void;
}

/** Creates or changes a format: what it is for, and the parameters that its blueprint allows. */
export function FormatForm({ blueprint, format, onSaved }: Props) {
  const text = useMessages();
  const allowed = blueprint.settings.allowedParameters ?? [];
  const isAllowed = ({ mediaTypes }: (typeof allowed)[number], chosen: readonly MediaType[]) =>
    mediaTypes.some((type) => chosen.includes(type));
  const types = blueprint.settings.mediaTypes ?? [];
  const write = async (values: FormatValues, etag: string, key: string): Promise<Version<FormatValues>> => {
    const body = { name: values.name, usage: values.usage, settings: toSettings(values) };
    const saved = format
      ? await changeFormat(format.value.id, body, etag)
      : await createFormat({ ...body, blueprintId: blueprint.id, converter: blueprint.converter }, key);
    notifySaved(format ? text.saved : text.created, text.ignored, saved.value.ignored);
    onSaved(saved.value);
    return mapVersion(saved, toValues);
  };
  const { form, submit, isSaving, error, conflict } = useResourceForm<FormatValues>({
    input: 'CreateFormatDto',
    initial: { value: toValues(format?.value ?? null, blueprint), etag: format?.etag ?? '' },
    save: write,
    fieldOf,
    ...(format && { reload: async () => mapVersion(await readFormat(format.value.id), toValues) }),
    validate: (values) => {
      const problems = {
        name: values.name.trim() ? null : text.nameMissing,
        mediaTypes: values.mediaTypes.length > 0 ? null : text.typesMissing,
        testSeconds: /^$|^([1-9]\d?|[1-5]\d\d|600)$/.test(values.testSeconds) ? null : text.testWrong,
      };
      const ofParameters = allowed.flatMap((parameter) => {
        const regex = problemOf(parameter, values.parameters[parameter.command]);
        return regex === null ? [] : [[`parameters.${parameter.command}`, text.outOfPattern(regex)]];
      });
      return { ...problems, ...Object.fromEntries(ofParameters) };
    },
  });
  const checkboxes = (chosen: readonly MediaType[]) => chosen.map((type) => <Checkbox key={type} value={type} label={text.types[type]} />);
  const { name, usage, mediaTypes, autoGenerate, useInPlayer, testSeconds, parameters } = text;
  const labels = { name, usage, mediaTypes, autoGenerate, useInPlayer, testSeconds, parameters };
  const shown = allowed.filter((parameter) => isAllowed(parameter, form.values.mediaTypes));
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <FormState error={error} conflict={conflict} labels={labels} />
        <TextInput label={text.name} required dir="auto" {...form.getInputProps('name')} />
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <NativeSelect
            label={text.usage}
            description={text.usageHint}
            data={enumerations.CreateFormatDto.usage.map((value) => ({ value, label: text.usages[value] }))}
            {...form.getInputProps('usage')}
          />
          <TextInput label={text.testSeconds} description={text.testHint} inputMode="numeric" {...form.getInputProps('testSeconds')} />
        </SimpleGrid>
        <Checkbox.Group label={text.mediaTypes} {...form.getInputProps('mediaTypes')}>
          <Group mt={4}>{checkboxes(types)}</Group>
        </Checkbox.Group>
        <Checkbox.Group label={text.autoGenerate} {...form.getInputProps('autoGenerate')}>
          <Group mt={4}>{checkboxes(types)}</Group>
        </Checkbox.Group>
        <Checkbox label={text.useInPlayer} {...form.getInputProps('useInPlayer', { type: 'checkbox' })} />
        <Title order={3} size="h4">
          {text.parameters}
        </Title>
        <Text size="sm">{shown.length > 0 ? text.parametersHint : text.noParameters}</Text>
        <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }}>
          {shown.map((parameter) => (
            <ParameterField
              key={parameter.command}
              parameter={parameter}
              preset={blueprint.settings.parameters?.[parameter.command]}
              {...form.getInputProps(`parameters.${parameter.command}`)}
            />
          ))}
        </SimpleGrid>
        <Group>
          <Button type="submit" loading={isSaving} disabled={format !== null && !form.isDirty()}>
            {format ? text.save : text.create}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
