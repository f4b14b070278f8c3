import { Anchor, Button, Group, SimpleGrid, Slider, Stack, Text } from '@mantine/core';
import { useRef, useState } from 'react';
import { PauseIcon, PlayIcon } from '../elements/icons';
import { Failure } from '../elements/page-states';
import { useFormats } from '../language';
import type { Container } from '../library/queries';
import { useMessages } from './formats.messages';
import { useItemUrl } from './queries';

type Item = Container['media'][number];

interface Props {
  readonly container: Container;
  readonly original: Item;
  readonly resultId: number;
}

/** Shows an original and a rendition of it side by side: pictures one above the other with a border that moves, films played together. */
export function Comparison({ container, original, resultId }: Props) {
  const text = useMessages();
  const { size } = useFormats();
  const originalUrl = useItemUrl(container.id, original.id);
  const resultUrl = useItemUrl(container.id, resultId);
  const result = container.media.find(({ id }) => id === resultId);
  const error = originalUrl.error ?? resultUrl.error;
  if (error) return <Failure error={error} />;
  if (!originalUrl.data || !resultUrl.data) return null;
  const urls = { original: originalUrl.data, result: resultUrl.data };
  const kinds = [original.type, result?.type];
  return (
    <Stack>
      {kinds.every((kind) => kind === 'image') && <Pictures {...urls} />}
      {kinds.every((kind) => kind === 'video') && <Films {...urls} />}
      <Group>
        <Anchor href={urls.original} target="_blank" rel="noreferrer">
          {text.sizeOf(text.original, size(original.fileSize))}
        </Anchor>
        <Anchor href={urls.result} target="_blank" rel="noreferrer">
          {result ? text.sizeOf(text.result, size(result.fileSize)) : text.result}
        </Anchor>
      </Group>
    </Stack>
  );
}

interface Urls {
  readonly original: string;
  readonly result: string;
}

/** The original left of the border, the result right of it. */
function Pictures({ original, result }: Urls) {
  const text = useMessages();
  const [border, setBorder] = useState(50);
  const [isBroken, setBroken] = useState(false);
  if (isBroken) return <Text>{text.cannotShow}</Text>;
  return (
    <Stack gap="xs">
      <div className="comparison">
        <img src={original} alt={text.original} onError={() => setBroken(true)} />
        <img src={result} alt={text.result} onError={() => setBroken(true)} style={{ clipPath: `inset(0 0 0 ${border}%)` }} />
        <div className="comparison-border" style={{ left: `${border}%` }} />
      </div>
      <Group justify="space-between">
        <Text size="sm">{text.original}</Text>
        <Text size="sm">{text.result}</Text>
      </Group>
      <Slider value={border} onChange={setBorder} thumbLabel={text.compare} label={null} />
    </Stack>
  );
}

/** Seconds that two films may be apart before the second one is moved. */
const MAX_DRIFT = 0.1;

/** Two films that play, pause and move together. */
function Films({ original, result }: Urls) {
  const text = useMessages();
  const [isPlaying, setPlaying] = useState(false);
  const [position, setPosition] = useState(0);
  const [isBroken, setBroken] = useState(false);
  const first = useRef<HTMLVideoElement>(null);
  const second = useRef<HTMLVideoElement>(null);
  /** A rendition in test mode is shorter than its original. */
  const length = () => Math.min(first.current?.duration || Infinity, second.current?.duration || Infinity);
  const follow = () => {
    const [leading, following] = [first.current, second.current];
    if (!leading || !following || !Number.isFinite(length())) return;
    setPosition(Math.min(100, (100 * leading.currentTime) / length()));
    if (leading.currentTime >= length()) stop();
    else if (Math.abs(leading.currentTime - following.currentTime) > MAX_DRIFT) following.currentTime = leading.currentTime;
  };
  const stop = () => {
    setPlaying(false);
    for (const { current } of [first, second]) current?.pause();
  };
  const play = async () => {
    const films = [first.current, second.current].filter((film) => film !== null);
    if (films.some(({ currentTime }) => currentTime >= length())) for (const film of films) film.currentTime = 0;
    setPlaying(true);
    await Promise.all(films.map(async (film) => await film.play())).catch(stop);
  };
  const move = (percent: number) => {
    setPosition(percent);
    if (!Number.isFinite(length())) return;
    for (const { current } of [first, second]) if (current) current.currentTime = (percent / 100) * length();
  };
  if (isBroken) return <Text>{text.cannotShow}</Text>;
  return (
    <Stack gap="xs">
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <figure className="comparison-film">
          <figcaption>{text.original}</figcaption>
          {/* biome-ignore lint/a11y/useMediaCaption: the picture is compared; captions would cover it */}
          <video
            ref={first}
            src={original}
            onTimeUpdate={follow}
            onEnded={stop}
            onError={() => setBroken(true)}
            preload="auto"
            playsInline
          />
        </figure>
        <figure className="comparison-film">
          <figcaption>{text.result}</figcaption>
          <video ref={second} src={result} muted onEnded={stop} onError={() => setBroken(true)} preload="auto" playsInline />
        </figure>
      </SimpleGrid>
      <Group wrap="nowrap">
        <Button
          variant="default"
          onClick={() => (isPlaying ? stop() : void play())}
          leftSection={isPlaying ? <PauseIcon size={16} /> : <PlayIcon size={16} />}
        >
          {isPlaying ? text.pause : text.play}
        </Button>
        <Slider flex={1} value={position} onChange={move} thumbLabel={text.position} label={null} />
      </Group>
    </Stack>
  );
}
