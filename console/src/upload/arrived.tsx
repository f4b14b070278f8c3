import { Stack, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { TextLink } from '../elements/links';
import { MAX_NAME } from '../elements/max-name';
import { useProblemText } from '../elements/media-problems';
import { type Container, refreshMedia } from '../library/queries';
import { keys } from '../query-keys';
import { api } from '../session';
import { useMessages } from './upload.messages';
import type { Upload } from './upload-list';

/** Files of an upload that are shown one by one. */
const MAX_SHOWN = 20;
const POLL_MS = 2_000;
/** Files are inspected within a minute; then it is not asked again. */
const INSPECTION_MS = 60_000;

/** The files of an upload that have arrived, with what is wrong with them and which were there already. */
export function Arrived({ upload: { files, containerIds } }: { upload: Upload }) {
  const shown = containerIds.slice(0, MAX_SHOWN);
  const containers = useContainers(shown);
  return shown.map((id, n) => (
    <ArrivedFile key={id} id={id} name={files[n]?.name ?? String(id)} container={containers.find((one) => one.id === id)} />
  ));
}

/** The containers of files that have just arrived, until all have been inspected. */
function useContainers(ids: readonly number[]): readonly Container[] {
  const queries = useQueryClient();
  const { data = [] } = useQuery({
    queryKey: keys.media.ofUpload(ids),
    enabled: ids.length > 0,
    queryFn: async ({ signal }) => await Promise.all(ids.map(async (id) => await readContainer(id, signal))),
    refetchInterval: ({ state }) => (state.data?.some(isWaiting) ? POLL_MS : false),
  });
  const problems = data.filter(({ problem }) => problem).length;
  useEffect(() => {
    if (problems > 0) void refreshMedia(queries);
  }, [problems, queries]);
  return data;
}

const readContainer = async (id: number, signal: AbortSignal): Promise<Container> =>
  (await api.GET('/v5/mediacontainer/{id}', { params: { path: { id } }, signal })).data;

const isWaiting = ({ technicalMetadata, createdAt }: Container): boolean =>
  technicalMetadata === null && Date.now() - Date.parse(createdAt) < INSPECTION_MS;

function ArrivedFile({ id, name, container }: { id: number; name: string; container: Container | undefined }) {
  const text = useMessages();
  const duplicateOf = container?.duplicateOf ?? null;
  return (
    <Stack gap={0}>
      <TextLink to="/media/$id" params={{ id: String(id) }} size="sm" className="foreign" lineClamp={2}>
        {text.show(name.slice(0, MAX_NAME))}
      </TextLink>
      {container?.problem && <Problem problem={container.problem} />}
      {duplicateOf !== null && (
        <Text size="xs" role="status">
          {text.duplicate}{' '}
          <TextLink to="/media/$id" params={{ id: String(duplicateOf) }} size="xs">
            {text.showOther}
          </TextLink>
        </Text>
      )}
    </Stack>
  );
}

function Problem({ problem }: { problem: NonNullable<Container['problem']> }) {
  const { name, advice } = useProblemText(problem);
  return (
    <Text size="xs" c="red" role="alert">
      {name}. {advice}
    </Text>
  );
}
