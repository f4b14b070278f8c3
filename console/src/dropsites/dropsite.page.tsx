import { Alert, Button, Card, Code, Group, Stack, Text, Title } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { BackLink } from '../elements/back-link';
import { CopyButton } from '../elements/copy-button';
import { DeleteButton } from '../elements/delete-button';
import { Loaded } from '../elements/list-page';
import { MAX_NAME } from '../elements/max-name';
import { QrCode } from '../elements/qr-code';
import type { Version } from '../elements/version';
import { keys } from '../query-keys';
import { Arrived } from './arrived';
import { DropsiteForm } from './dropsite-form';
import { useMessages } from './dropsites.messages';
import { type Dropsite, useDeleteDropsite, useDropsite } from './queries';

export function NewDropsitePage() {
  const text = useMessages();
  const navigate = useNavigate();
  const queries = useQueryClient();
  return (
    <Stack>
      <BackLink to="/dropsites">{text.back}</BackLink>
      <Title order={1} size="h2">
        {text.newTitle}
      </Title>
      <Card withBorder>
        <DropsiteForm
          found={null}
          onSaved={({ id }) => {
            void queries.invalidateQueries({ queryKey: keys.dropsites.all });
            void navigate({ to: '/dropsites/$id', params: { id: String(id) } });
          }}
        />
      </Card>
    </Stack>
  );
}

/** One dropsite: how it is shared, what arrived, and its settings. */
export function DropsitePage() {
  const text = useMessages();
  const { id = '' } = useParams({ strict: false }) as { id?: string };
  return (
    <Stack>
      <BackLink to="/dropsites">{text.back}</BackLink>
      <Loaded found={useDropsite(Number(id))}>{(version) => <OneDropsite found={version} />}</Loaded>
    </Stack>
  );
}

function OneDropsite({ found }: { found: Version<Dropsite> }) {
  const text = useMessages();
  const queries = useQueryClient();
  const dropsite = found.value;
  const { mutateAsync } = useDeleteDropsite(dropsite.id);
  return (
    <>
      <Title order={1} size="h2" className="foreign" dir="auto">
        {dropsite.name}
      </Title>
      {dropsite.expiresAt && new Date(dropsite.expiresAt) <= new Date() && <Alert role="status">{text.ended}</Alert>}
      <Share dropsite={dropsite} />
      <Arrived link={dropsite.link} />
      <Card withBorder>
        <Stack>
          <Title order={2} size="h4">
            {text.settings}
          </Title>
          <DropsiteForm key={dropsite.id} found={found} onSaved={() => void queries.invalidateQueries({ queryKey: keys.dropsites.all })} />
        </Stack>
      </Card>
      <DeleteButton
        name={dropsite.name}
        consequence={text.deleteText}
        onDelete={async () => await mutateAsync()}
        done={text.deleted}
        leadsTo="/dropsites"
      />
    </>
  );
}

const escapeHtml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

/** The link, a QR code and a snippet of HTML that leads to the page. */
function Share({ dropsite: { name, url } }: { dropsite: Dropsite }) {
  const text = useMessages();
  const snippet = `<a href="${escapeHtml(url)}">${escapeHtml(name)}</a>`;
  return (
    <Card withBorder>
      <Stack>
        <div>
          <Title order={2} size="h4">
            {text.share}
          </Title>
          <Text size="sm">{text.shareHint}</Text>
        </div>
        <Group align="flex-start">
          <QrCode text={url} label={text.qrCode(name.slice(0, MAX_NAME))} />
          <Stack flex="1 1 240px" gap="sm">
            <Code block className="foreign wrapped">
              {url}
            </Code>
            <Code block className="foreign wrapped">
              {snippet}
            </Code>
            <Group>
              <CopyButton label={text.copyLink} value={url} />
              <CopyButton label={text.copySnippet} value={snippet} />
              <Button component="a" href={url} target="_blank" rel="noreferrer" size="xs" variant="default">
                {text.open}
              </Button>
            </Group>
          </Stack>
        </Group>
      </Stack>
    </Card>
  );
}
