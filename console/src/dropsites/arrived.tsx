import { Card, Group, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { DocumentIcon } from '../elements/icons';
import { TextLink } from '../elements/links';
import { Results } from '../elements/list-page';
import { MAX_NAME } from '../elements/max-name';
import { useFormats } from '../language';
import type { Container } from '../library/queries';
import { useMessages } from './dropsites.messages';
import { useArrived } from './queries';

/** The media that arrived through a dropsite, newest first. */
export function Arrived({ link }: { link: string }) {
  const text = useMessages();
  const { number } = useFormats();
  const found = useArrived(link);
  const containers = found.items ?? [];
  const total = found.total ?? 0;
  return (
    <Card withBorder>
      <Stack>
        <Group justify="space-between">
          <Title order={2} size="h4">
            {text.arrived}
          </Title>
          {total > 0 && <Text size="sm">{text.count(total, number(total))}</Text>}
        </Group>
        <Results found={found} isEmpty={containers.length === 0} empty={<Text>{text.nothingArrived}</Text>}>
          <SimpleGrid cols={{ base: 2, sm: 3, lg: 6 }}>
            {containers.map((container) => (
              <Medium key={container.id} container={container} />
            ))}
          </SimpleGrid>
        </Results>
      </Stack>
    </Card>
  );
}

function Medium({ container: { id, name, preview, createdAt } }: { container: Container }) {
  const { dateTime } = useFormats();
  return (
    <div className="tile">
      <div className="tile-picture">
        {preview ? (
          <img src={preview.url} width={preview.width} height={preview.height} alt="" loading="lazy" />
        ) : (
          <div className="tile-symbol">
            <DocumentIcon size={32} />
          </div>
        )}
      </div>
      <TextLink to="/media/$id" params={{ id: String(id) }} size="sm" className="tile-name" dir="auto">
        {name.slice(0, MAX_NAME)}
      </TextLink>
      <Text size="xs">{dateTime(createdAt)}</Text>
    </div>
  );
}
