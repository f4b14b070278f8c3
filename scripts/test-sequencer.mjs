import Sequencer from '@jest/test-sequencer';

/** Jest runs whole rings from the slowest group to the quickest, so that no process waits long for the last one. */
const FIRST = ['e2e', 'integration', 'unit', 'architecture'];

export default class RingSequencer extends Sequencer {
  sort(tests) {
    const place = ({ context }) => FIRST.indexOf(context.config.displayName?.name);
    return [...super.sort(tests)].sort((one, other) => place(one) - place(other));
  }
}
