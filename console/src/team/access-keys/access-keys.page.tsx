import { useMe } from '../../shell/me';
import { TeamFrame } from '../team-frame';
import { AccessKeys } from './access-keys';

/** The access keys of the customer. */
export function AccessKeysPage() {
  const { isSupport } = useMe();
  return (
    <TeamFrame section="access-keys">
      <AccessKeys mayChange={!isSupport} />
    </TeamFrame>
  );
}
