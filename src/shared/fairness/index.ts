export { FairLimit } from './fair-limit.js';
