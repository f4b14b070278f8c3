import { Card, Code, Group, Stack, Text, Title } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { BackLink } from '../../elements/back-link';
import { CopyButton } from '../../elements/copy-button';
import { DeleteButton } from '../../elements/delete-button';
import { Loaded } from '../../elements/list-page';
import type { Version } from '../../elements/version';
import { keys } from '../../query-keys';
import { useMe } from '../../shell/me';
import { useRefusals } from '../refusals';
import { type Secret, SecretDialog } from '../secret-dialog';
import { useMessages as useTeamMessages } from '../team.messages';
import { AdministratorsOnly } from '../team-frame';
import { ApplicationForm } from './application-form';
import { useMessages } from './applications.messages';
import { type Application, useApplication, useDeleteApplication } from './queries';
import { RotateSecret } from './rotate-secret';

export function NewApplicationPage() {
  const text = useMessages();
  const { isSupport } = useMe();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const [created, setCreated] = useState<{ readonly id: number; readonly secrets: readonly Secret[] } | null>(null);
  const show = (id: number) => void navigate({ to: '/team/applications/$id', params: { id: String(id) } });
  return (
    <AdministratorsOnly>
      <BackLink to="/team/applications">{text.back}</BackLink>
      <Title order={1} size="h2">
        {text.newTitle}
      </Title>
      <Card withBorder>
        <ApplicationForm
          found={null}
          isDisabled={isSupport || created !== null}
          onSaved={({ id, clientId, clientSecret }) => {
            void queries.invalidateQueries({ queryKey: keys.applications.lists });
            if (clientSecret === undefined) return show(id);
            const secrets = [
              { label: text.clientId, value: clientId },
              { label: text.secret, value: clientSecret },
            ];
            setCreated({ id, secrets });
          }}
        />
      </Card>
      <SecretDialog
        secrets={created?.secrets ?? null}
        onClose={() => {
          setCreated(null);
          if (created) show(created.id);
        }}
      />
    </AdministratorsOnly>
  );
}

/** One application: its client ID, its settings, and its secret, which can be replaced. */
export function ApplicationPage() {
  const text = useMessages();
  const { id = '' } = useParams({ strict: false }) as { id?: string };
  return (
    <AdministratorsOnly>
      <BackLink to="/team/applications">{text.back}</BackLink>
      <Loaded found={useApplication(Number(id))}>{(version) => <OneApplication key={version.value.id} found={version} />}</Loaded>
    </AdministratorsOnly>
  );
}

function OneApplication({ found }: { found: Version<Application> }) {
  const text = useMessages();
  const team = useTeamMessages();
  const queries = useQueryClient();
  const explained = useRefusals();
  const { isSupport } = useMe();
  const [secrets, setSecrets] = useState<readonly Secret[] | null>(null);
  const application = found.value;
  const { mutateAsync: remove } = useDeleteApplication(application.id);
  const showSecret = (secret: string) => setSecrets([{ label: text.secret, value: secret }]);
  return (
    <>
      <Title order={1} size="h2" className="foreign" dir="auto">
        {application.name}
      </Title>
      <Card withBorder>
        <Group justify="space-between">
          <Stack gap={4}>
            <Text size="sm" fw={600}>
              {text.clientId}
            </Text>
            <Code className="wrapped" fz="sm">
              {application.clientId}
            </Code>
          </Stack>
          <CopyButton label={team.copy(text.clientId)} value={application.clientId} />
        </Group>
      </Card>
      <Card withBorder>
        <ApplicationForm
          key={String(isSupport)}
          found={found}
          isDisabled={isSupport}
          onSaved={({ clientSecret }) => {
            if (clientSecret !== undefined) showSecret(clientSecret);
            void queries.invalidateQueries({ queryKey: keys.applications.all });
          }}
        />
      </Card>
      {!isSupport && (
        <>
          {application.confidential && <RotateSecret id={application.id} onSecret={showSecret} />}
          <DeleteButton
            name={application.name}
            consequence={text.deleteText}
            onDelete={async () => await explained(remove())}
            done={text.deleted}
            leadsTo="/team/applications"
          />
        </>
      )}
      <SecretDialog secrets={secrets} onClose={() => setSecrets(null)} />
    </>
  );
}
