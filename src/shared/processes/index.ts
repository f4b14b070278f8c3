export { isStillRunning, processName, processStartTime } from './process-start-time.js';
