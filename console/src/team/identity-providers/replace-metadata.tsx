import { Button, Stack, Text, Title } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { FormState, useResourceForm } from '../../elements/resource-form';
import type { Version } from '../../elements/version';
import { useRefusals } from '../refusals';
import { useMessages } from './identity-providers.messages';
import { MetadataField, notifyLeftOut, useMetadataCheck } from './metadata-field';
import { changeIdentityProvider, type IdentityProvider, readIdentityProvider, type SavedIdentityProvider } from './queries';

type MetadataValues = Record<'metadata', string>;

/** The form is empty again once the metadata is saved. */
const EMPTY: MetadataValues = { metadata: '' };

interface Props {
  readonly found: Version<IdentityProvider>;
  readonly onSaved: (saved: SavedIdentityProvider) => void;
}

/** Replaces entity id, address and certificates of an identity provider. */
export function ReplaceMetadata({ found, onSaved }: Props) {
  const text = useMessages();
  const explained = useRefusals();
  const checkMetadata = useMetadataCheck();
  const { form, submit, isSaving, error, conflict } = useResourceForm<MetadataValues>({
    name: 'metadata',
    initial: { value: EMPTY, etag: found.etag },
    validate: { metadata: checkMetadata },
    reload: async () => ({ value: EMPTY, etag: (await readIdentityProvider(found.value.id)).etag }),
    save: async ({ metadata }, etag) => {
      const saved = await explained(changeIdentityProvider(found.value.id, { metadata }, etag));
      notifications.show({ message: text.replaced });
      notifyLeftOut(text.leftOut, saved.value.certificatesLeftOut);
      onSaved(saved.value);
      return { value: EMPTY, etag: saved.etag };
    },
  });
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <div>
          <Title order={2} size="h4">
            {text.replace}
          </Title>
          <Text size="sm">{text.replaceHint}</Text>
        </div>
        <FormState error={error} conflict={conflict} labels={{ metadata: text.metadata }} />
        <MetadataField value={form.values.metadata} onRead={(xml) => form.setFieldValue('metadata', xml)} error={form.errors.metadata} />
        <Button type="submit" variant="default" loading={isSaving} w="fit-content">
          {text.replace}
        </Button>
      </Stack>
    </form>
  );
}
