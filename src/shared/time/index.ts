export { Clock, FakeClock, SystemClock } from './clock.js';
export { TimeModule } from './time.module.js';
