import { notifications } from '@mantine/notifications';
import { useNavigate } from '@tanstack/react-router';
import { DeleteButton } from '../elements/delete-button';
import { useMessages } from './dropsites.messages';
import { type Dropsite, useDeleteDropsite } from './queries';

/** Deletes a dropsite after asking, because its link never works again. */
export function DeleteDropsite({ dropsite: { id, name } }: { dropsite: Dropsite }) {
  const text = useMessages();
  const navigate = useNavigate();
  const { mutateAsync } = useDeleteDropsite(id);
  const remove = async () => {
    await mutateAsync();
    notifications.show({ message: text.deleted });
    await navigate({ to: '/dropsites' });
  };
  return <DeleteButton name={name} consequence={text.deleteText} onDelete={remove} />;
}
