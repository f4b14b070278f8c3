import { TextLink } from '../elements/links';
import { messages } from '../language';
import { useMedium } from './queries';

const useMessages = messages({
  en: { numbered: (id: number) => `Medium ${id}` },
  de: { numbered: (id: number) => `Medium ${id}` },
});

/** The name of a medium; its id until the name is loaded, and if it was deleted. Empty without an id. */
export function useMediumName(id: number | null): string {
  const text = useMessages();
  const { data } = useMedium(id ?? 0, id !== null);
  if (id === null) return '';
  return data?.name || text.numbered(id);
}

/** Leads from a list to one of the media that it concerns. */
export function MediumLink({ id }: { id: number }) {
  const name = useMediumName(id);
  return (
    <TextLink size="sm" to="/media/$id" params={{ id: String(id) }} className="foreign" dir="auto" lineClamp={2}>
      {name}
    </TextLink>
  );
}
