import { Checkbox } from '@mantine/core';
import { useState } from 'react';
import { DeleteButton } from '../elements/delete-button';
import { useMessages } from './formats.messages';
import { type Format, useDestroyFormat } from './queries';

/** Destroys a format after asking, because it cannot be brought back. */
export function DestroyFormat({ format: { id, name } }: { format: Format }) {
  const text = useMessages();
  const [withItems, setWithItems] = useState(false);
  const { mutateAsync } = useDestroyFormat(id);
  return (
    <DeleteButton
      verb="destroy"
      name={name}
      consequence={text.destroyText}
      onDelete={async () => await mutateAsync(withItems)}
      done={text.destroyed}
      leadsTo="/formats"
    >
      <Checkbox label={text.destroyItems} checked={withItems} onChange={(event) => setWithItems(event.currentTarget.checked)} />
    </DeleteButton>
  );
}
