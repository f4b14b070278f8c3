/** Modules that the scripts of several pages import, as files of publishAssets. */
export const sharedModules: Readonly<Record<string, URL>> = {
  'poll-while-visible.js': new URL('./browser/poll-while-visible.js', import.meta.url),
};
