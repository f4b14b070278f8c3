/** Loaded from its own file, because the package's index would replace the dispatcher of Node's `fetch` for the whole process. */
declare module 'undici/lib/dispatcher/agent.js' {
  export { Agent as default } from 'undici';
}
