import { Button, Checkbox, Group, PasswordInput, SimpleGrid, Stack, TagsInput, Textarea, TextInput } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { MEDIA_TYPES } from '../elements/media-types';
import { FormState, useResourceForm } from '../elements/resource-form';
import { mapVersion, type Version } from '../elements/version';
import { type DropsiteValues, fieldOf, toFields, toValues } from './dropsite-values';
import { useMessages } from './dropsites.messages';
import { changeDropsite, createDropsite, type Dropsite, readDropsite } from './queries';

const WHOLE = /^[1-9]\d{0,8}$/;
/** Megabytes with up to six decimals, which are bytes. */
const MEGABYTES = /^(?!0*\.?0*$)\d{1,9}(\.\d{1,6})?$/;

interface Props {
  /** Null: a new dropsite. */
  readonly found: Version<Dropsite> | null;
  readonly onSaved: (saved: Dropsite) => void;
}

/** Creates or changes a dropsite. */
export function DropsiteForm({ found, onSaved }: Props) {
  const text = useMessages();
  const write = async (values: DropsiteValues, etag: string, key: string): Promise<Version<DropsiteValues>> => {
    const fields = toFields(values, found && toValues(found.value));
    const saved = found ? await changeDropsite(found.value.id, fields, etag) : await createDropsite(fields, key);
    notifications.show({ message: found ? text.saved : text.created });
    onSaved(saved.value);
    return mapVersion(saved, toValues);
  };
  const { form, submit, isSaving, error, conflict } = useResourceForm<DropsiteValues>({
    input: 'CreateDropsiteDto',
    initial: { value: toValues(found?.value ?? null), etag: found?.etag ?? '' },
    save: write,
    fieldOf,
    ...(found && { reload: async () => mapVersion(await readDropsite(found.value.id), toValues) }),
    validate: {
      name: (name) => (name.trim() ? null : text.nameMissing),
      maxItemsPerDay: (limit) => (limit === '' || WHOLE.test(limit) ? null : text.limitWrong),
      maxSizePerDay: (limit) => (limit === '' || MEGABYTES.test(limit) ? null : text.sizeWrong),
      publicAreaIds: (ids) => (ids.every((id) => WHOLE.test(id)) ? null : text.publicAreaWrong),
    },
  });
  const { name, description, expiresAt, password, removePassword, maxItemsPerDay, maxSizePerDay, allowedTypes, allowAnonymous } = text;
  const labels = { name, description, expiresAt, password, removePassword, maxItemsPerDay, maxSizePerDay, allowedTypes, allowAnonymous };
  const hasPassword = found?.value.requiresPassword ?? false;
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <FormState error={error} conflict={conflict} labels={{ ...labels, publicAreaIds: text.publicAreaIds }} />
        <TextInput label={name} required dir="auto" {...form.getInputProps('name')} />
        <Textarea label={description} autosize minRows={2} dir="auto" {...form.getInputProps('description')} />
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <TextInput type="datetime-local" label={expiresAt} description={text.expiresHint} {...form.getInputProps('expiresAt')} />
          <PasswordInput
            label={password}
            description={hasPassword ? text.keepPassword : text.passwordHint}
            autoComplete="new-password"
            visibilityToggleButtonProps={{ 'aria-label': text.showPassword }}
            {...form.getInputProps('password')}
          />
          <TextInput label={maxItemsPerDay} description={text.limitHint} inputMode="numeric" {...form.getInputProps('maxItemsPerDay')} />
          <TextInput label={maxSizePerDay} description={text.limitHint} inputMode="decimal" {...form.getInputProps('maxSizePerDay')} />
        </SimpleGrid>
        {hasPassword && <Checkbox label={removePassword} {...form.getInputProps('removePassword', { type: 'checkbox' })} />}
        <Checkbox.Group label={allowedTypes} description={text.allowedTypesHint} {...form.getInputProps('allowedTypes')}>
          <Group mt={4}>
            {MEDIA_TYPES.map((type) => (
              <Checkbox key={type} value={type} label={text.types[type]} />
            ))}
          </Group>
        </Checkbox.Group>
        <Checkbox label={allowAnonymous} {...form.getInputProps('allowAnonymous', { type: 'checkbox' })} />
        <TagsInput
          label={text.publicAreaIds}
          description={text.publicAreaHint}
          splitChars={[',', ' ']}
          acceptValueOnBlur
          {...form.getInputProps('publicAreaIds')}
        />
        <Button type="submit" loading={isSaving} disabled={found !== null && !form.isDirty()} w="fit-content">
          {found ? text.save : text.createIt}
        </Button>
      </Stack>
    </form>
  );
}
