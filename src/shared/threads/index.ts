export { LimitedThread, runInThread, ThreadLimitExceeded } from './limited-thread.js';
