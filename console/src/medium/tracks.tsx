import { Button, Card, Checkbox, FileButton, Group, NativeSelect, SimpleGrid, Stack, Text, TextInput, Title } from '@mantine/core';
import { useForm } from '@mantine/form';
import { enumerations, ProblemError } from '@media-delivery/sdk';
import { useState } from 'react';
import { DeleteButton } from '../elements/delete-button';
import { withLengths } from '../elements/input-limits';
import { MAX_NAME } from '../elements/max-name';
import { Failure } from '../elements/page-states';
import type { Container } from '../library/queries';
import { useMessages } from './medium.messages';
import { type Role, useTracks } from './queries';

type Item = Container['media'][number];

const ROLES: readonly Role[] = enumerations.UploadItemDto.role;
const ACCEPTED = '.vtt,.srt,image/*';

interface Props {
  readonly container: Container;
  /** A file that is about to become a track. */
  readonly file: File | null;
  readonly onFile: (file: File | null) => void;
}

/** Subtitles, captions, descriptions, chapters and the poster of a medium. */
export function Tracks({ container, file, onFile }: Props) {
  const text = useMessages();
  const tracks = container.media.filter(({ role, status }) => role !== null && status === 'successful');
  return (
    <Card withBorder component="section" aria-label={text.tracks}>
      <Stack>
        <Title order={2} size="h4">
          {text.tracks}
        </Title>
        {tracks.map((track) => (
          <Track key={`${track.id} ${track.language} ${track.label} ${track.default}`} containerId={container.id} track={track} />
        ))}
        {tracks.length === 0 && <Text size="sm">{text.noTracks}</Text>}
        {file ? (
          <NewTrackForm key={`${file.name} ${file.size}`} containerId={container.id} file={file} onDone={() => onFile(null)} />
        ) : (
          <FileButton accept={ACCEPTED} onChange={onFile}>
            {(props) => (
              <Button variant="light" w="fit-content" {...props}>
                {text.addTrack}
              </Button>
            )}
          </FileButton>
        )}
      </Stack>
    </Card>
  );
}

/** A track; its language, label and whether it is the default can be changed. */
function Track({ containerId, track }: { containerId: number; track: Item }) {
  const text = useMessages();
  const { change, remove } = useTracks(containerId);
  const role = track.role as Role;
  const hasWords = role !== 'poster';
  const form = useForm({
    initialValues: { language: track.language ?? '', label: track.label ?? '', default: track.default },
    ...withLengths('TrackChangesDto'),
  });
  const save = form.onSubmit(({ language, label, default: isDefault }) =>
    change.mutate({ mediaId: track.id, language, label: label || null, default: isDefault }),
  );
  const name = [text.roles[role], track.label ?? track.language].filter(Boolean).join(': ').slice(0, MAX_NAME);
  return (
    <form onSubmit={save} aria-label={name}>
      <Group align="flex-end" gap="sm">
        <Text size="sm" fw={600} w={120}>
          {text.roles[role]}
        </Text>
        {hasWords ? (
          <>
            <TextInput label={text.language} w={110} required {...form.getInputProps('language')} />
            <TextInput label={text.label} flex="1 1 140px" {...form.getInputProps('label')} />
            <Checkbox mb={8} label={text.default} {...form.getInputProps('default', { type: 'checkbox' })} />
          </>
        ) : (
          <Text size="sm" className="foreign" flex="1 1 140px" lineClamp={2}>
            {track.fileName}.{track.fileExtension}
          </Text>
        )}
        {hasWords && (
          <Button type="submit" variant="default" disabled={!form.isDirty()} loading={change.isPending} aria-label={text.saveTrack(name)}>
            {text.save}
          </Button>
        )}
        <DeleteButton name={name} consequence={text.deleteTrack} onDelete={async () => await remove.mutateAsync(track.id)} />
      </Group>
      {change.error && <Failure error={change.error} />}
    </form>
  );
}

/** The language in a file name such as `film.de.vtt` or `film_pt-BR.srt`. */
const languageOf = (name: string): string => /[._-]([a-z]{2,3}(?:-[A-Z]{2})?)\.\w+$/.exec(name)?.[1] ?? '';

function NewTrackForm({ containerId, file, onDone }: { containerId: number; file: File; onDone: () => void }) {
  const text = useMessages();
  const { add } = useTracks(containerId);
  const [error, setError] = useState<unknown>(null);
  const isPicture = !/\.(vtt|srt)$/i.test(file.name);
  const form = useForm({
    initialValues: { role: (isPicture ? 'poster' : 'subtitles') as Role, language: languageOf(file.name), label: '', default: false },
    validate: { language: (language, { role }) => (role === 'poster' || language.trim() ? null : text.languageMissing) },
    ...withLengths('UploadItemDto'),
  });
  const save = form.onSubmit(async (values) => {
    setError(null);
    await add.mutateAsync({ file, ...values, language: values.language.trim() }).then(onDone, (thrown: unknown) => {
      const [first] = thrown instanceof ProblemError ? thrown.errors : [];
      setError(first ? new Error(first.message) : thrown);
    });
  });
  const hasWords = form.values.role !== 'poster';
  return (
    <form onSubmit={save} aria-label={text.addTrack} noValidate>
      <Stack gap="sm">
        <Text size="sm" className="foreign" dir="auto" lineClamp={3}>
          {file.name}
        </Text>
        <SimpleGrid cols={{ base: 1, sm: 3 }}>
          <NativeSelect
            label={text.role}
            data={ROLES.map((value) => ({ value, label: text.roles[value] }))}
            {...form.getInputProps('role')}
          />
          {hasWords && <TextInput label={text.language} description={text.languageHint} required {...form.getInputProps('language')} />}
          {hasWords && <TextInput label={text.label} description={text.labelHint} {...form.getInputProps('label')} />}
        </SimpleGrid>
        {hasWords && <Checkbox label={text.default} {...form.getInputProps('default', { type: 'checkbox' })} />}
        {error !== null && <Failure error={error} />}
        <Group>
          <Button type="submit" loading={add.isPending}>
            {text.upload}
          </Button>
          <Button variant="default" onClick={onDone}>
            {text.cancel}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
