import { Text } from '@mantine/core';
import { useEffect, useState } from 'react';
import { droppedFiles } from './dropped-files';
import { useMessages } from './upload.messages';

/** Takes files and folders that are dropped anywhere in the window, unless the page has taken them. */
export function DropTarget({ onDrop }: { onDrop: (files: readonly File[]) => void }) {
  const text = useMessages();
  const [isOver, setOver] = useState(false);
  useEffect(() => {
    let depth = 0;
    const hasFiles = (event: DragEvent) => event.dataTransfer?.types.includes('Files') ?? false;
    const enter = (event: DragEvent) => {
      if (!hasFiles(event)) return;
      depth += 1;
      setOver(true);
    };
    const leave = (event: DragEvent) => {
      if (!hasFiles(event)) return;
      depth -= 1;
      if (depth <= 0) setOver(false);
    };
    const over = (event: DragEvent) => {
      if (hasFiles(event) && !event.defaultPrevented) event.preventDefault();
    };
    const drop = (event: DragEvent) => {
      depth = 0;
      setOver(false);
      if (!hasFiles(event) || event.defaultPrevented) return;
      event.preventDefault();
      void droppedFiles(event.dataTransfer as DataTransfer).then(onDrop);
    };
    const listeners = { dragenter: enter, dragleave: leave, dragover: over, drop } as const;
    for (const [name, listener] of Object.entries(listeners)) addEventListener(name as 'drop', listener);
    return () => {
      for (const [name, listener] of Object.entries(listeners)) removeEventListener(name as 'drop', listener);
    };
  }, [onDrop]);
  return isOver ? (
    <div className="drop-target">
      <Text size="xl" fw={600}>
        {text.drop}
      </Text>
    </div>
  ) : null;
}
