import { readFileSync } from 'node:fs';
import { afterAll, beforeAll } from '@jest/globals';
import { makeTestFolder, removeTestFolder } from '../app/test-cluster.js';
import { drawMedia, type MediaFiles } from '../media/media-files.js';
import { aRequest, type Change } from './format-requests.js';
import { type JobInputs, make } from './run-invocation.js';

/** What ffprobe says of a file. */
export interface Probe {
  readonly streams: readonly Record<string, string | number>[];
  readonly format: { readonly duration: string; readonly tags?: Record<string, string> };
}

/** A folder with media in it, and runs of blueprints there. */
export interface FormatJobs {
  readonly folder: string;
  readonly media: MediaFiles;
  /** Makes a custom format of a blueprint; answers the file. */
  make(blueprint: string, change: Change, inputs: JobInputs): Promise<string>;
  /** Asks the blueprint for technical metadata. */
  probe(file: string): Promise<Probe>;
}

/** For the tests of one file; the folder goes when they have ended. */
export function useFormatJobs(): FormatJobs {
  let folder = '';
  let media: MediaFiles;

  beforeAll(async () => {
    folder = makeTestFolder();
    media = await drawMedia(folder);
  });
  afterAll(async () => await removeTestFolder(folder));

  const makeOf: FormatJobs['make'] = async (blueprint, change, inputs) => await make(folder, aRequest(blueprint, change), inputs);
  return {
    get folder() {
      return folder;
    },
    get media() {
      return media;
    },
    make: makeOf,
    probe: async (file) => JSON.parse(readFileSync(await makeOf('technical-metadata', {}, { source: file }), 'utf8')) as Probe,
  };
}
