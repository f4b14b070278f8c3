import { Button, Group, Modal, NativeSelect, Stack, TagsInput, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useDropsites } from '../dropsites/queries';
import { useIdempotencyKey } from '../elements/idempotency-key';
import { MAX_NAME } from '../elements/max-name';
import { MediumPicker } from '../elements/medium-picker';
import { Failure } from '../elements/page-states';
import { useMedium } from '../medium/queries';
import { keys } from '../query-keys';
import { createFromTemplate } from './queries';
import { useMessages } from './subscriptions.messages';

type Template = 'dropsiteUploadStarted' | 'createDownloadLink';

/** Creates a subscription from a template of the service, in a dialog. */
export function FromTemplate() {
  const text = useMessages();
  const [isOpen, { open, close }] = useDisclosure();
  const [template, setTemplate] = useState<Template>('dropsiteUploadStarted');
  return (
    <>
      <Button variant="default" onClick={open} aria-haspopup="dialog">
        {text.fromTemplate}
      </Button>
      <Modal opened={isOpen} onClose={close} title={text.fromTemplate} size="lg">
        <Stack>
          <NativeSelect
            label={text.templateKind}
            value={template}
            data={Object.entries(text.templates).map(([value, label]) => ({ value, label }))}
            onChange={({ currentTarget: { value } }) => setTemplate(value as Template)}
          />
          {template === 'dropsiteUploadStarted' ? <UploadStarted /> : <DownloadLink />}
        </Stack>
      </Modal>
    </>
  );
}

function useCreation(template: Template) {
  const text = useMessages();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const idempotencyKey = useIdempotencyKey();
  return useMutation({
    mutationFn: async (payload: Record<string, unknown>) => await createFromTemplate(template, payload, idempotencyKey(payload)),
    onSuccess: async ({ id }) => {
      notifications.show({ message: text.created });
      await queries.invalidateQueries({ queryKey: keys.subscriptions.all });
      await navigate({ to: '/subscriptions/$id', params: { id: String(id) } });
    },
  });
}

function UploadStarted() {
  const text = useMessages();
  const { items } = useDropsites('active');
  const { mutate, isPending, error } = useCreation('dropsiteUploadStarted');
  const dropsites = items ?? [];
  const [chosen, setChosen] = useState('');
  const link = chosen || dropsites[0]?.link;
  return (
    <>
      {items && dropsites.length === 0 && <Text>{text.noDropsite}</Text>}
      <NativeSelect
        label={text.dropsite}
        value={link ?? ''}
        data={dropsites.map(({ link: value, name }) => ({ value, label: name.slice(0, MAX_NAME) }))}
        onChange={({ currentTarget: { value } }) => setChosen(value)}
      />
      {error && <Failure error={error} />}
      <Group justify="flex-end">
        <Button disabled={!link} loading={isPending} onClick={() => mutate({ link })}>
          {text.createIt}
        </Button>
      </Group>
    </>
  );
}

function DownloadLink() {
  const text = useMessages();
  const [medium, setMedium] = useState<number>();
  const [recipients, setRecipients] = useState<string[]>([]);
  const { data: container } = useMedium(medium ?? 0, medium !== undefined);
  const { mutate, isPending, error } = useCreation('createDownloadLink');
  const payload = { mediaContainerId: medium, receiver: recipients.map((recipient) => ({ recipient })) };
  return (
    <>
      <MediumPicker chosen={container} onChoose={setMedium} />
      <TagsInput label={text.recipients} value={recipients} onChange={setRecipients} splitChars={[',', ' ']} acceptValueOnBlur />
      {error && <Failure error={error} />}
      <Group justify="flex-end">
        <Button disabled={medium === undefined} loading={isPending} onClick={() => mutate(payload)}>
          {text.createIt}
        </Button>
      </Group>
    </>
  );
}
