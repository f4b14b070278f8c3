import Sequencer from '@jest/test-sequencer';

/** Jest runs the groups of whole rings from the slowest to the fastest, so that no process is idle for long at the end. */
const FIRST = ['e2e', 'integration', 'unit', 'architecture'];

export default class RingSequencer extends Sequencer {
  sort(tests) {
    const place = ({ context }) => FIRST.indexOf(context.config.displayName?.name);
    return [...super.sort(tests)].sort((one, other) => place(one) - place(other));
  }
}
