/** Loaded from its own file: the package's index would put its dispatcher under Node's `fetch`, for the whole process. */
declare module 'undici/lib/dispatcher/agent.js' {
  export { Agent as default } from 'undici';
}
