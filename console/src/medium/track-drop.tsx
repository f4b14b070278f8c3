import { Text } from '@mantine/core';
import { type ReactNode, useEffect, useState } from 'react';
import { useMessages } from './medium.messages';

const isTrack = ({ name }: File): boolean => /\.(vtt|srt)$/i.test(name);

/** Takes a subtitle file that is dropped on the player. While files are dragged, a layer above the frame receives them in its stead. */
export function TrackDrop({ onTrack, children }: { onTrack: (file: File) => void; children: ReactNode }) {
  const text = useMessages();
  const [isDragging, setDragging] = useState(false);
  useEffect(() => {
    const enter = (event: DragEvent) => event.dataTransfer?.types.includes('Files') && setDragging(true);
    const leave = (event: DragEvent) => event.relatedTarget === null && setDragging(false);
    const end = () => setDragging(false);
    const listeners = { dragenter: enter, dragleave: leave, drop: end, dragend: end } as const;
    for (const [name, listener] of Object.entries(listeners)) addEventListener(name as 'drop', listener);
    return () => {
      for (const [name, listener] of Object.entries(listeners)) removeEventListener(name as 'drop', listener);
    };
  }, []);
  const drop = (event: React.DragEvent) => {
    const file = Array.from(event.dataTransfer.files).find(isTrack);
    if (!file) return; // it is uploaded as a medium of its own
    event.preventDefault();
    onTrack(file);
  };
  return (
    <div className="track-drop">
      {children}
      {isDragging && (
        // biome-ignore lint/a11y/noStaticElementInteractions: files can be chosen by a button, too
        <div className="track-drop-layer" onDragOver={(event) => event.preventDefault()} onDrop={drop}>
          <Text fw={600}>{text.dropTrack}</Text>
        </div>
      )}
    </div>
  );
}
