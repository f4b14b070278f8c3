import { afterAll, beforeAll } from '@jest/globals';
import { startTestApp, type TestApp, type TestAppOptions } from '../app/test-app.js';
import { startTestStorage, type TestStorage } from '../storage/storage.js';
import { anEmbed, type Embed, type NewEmbed } from './embeds.js';
import { aPublisher, type Publisher } from './player-configurations.js';

/** What deliverEmbed answers as JSON. */
export interface EmbedBody extends Record<string, unknown> {
  readonly code?: string;
  readonly previewImage: string | null;
  readonly hls: string | null;
  readonly formats: readonly { formatId: number; url: string; downloadable: boolean; mimeType: string }[];
  readonly tracks: readonly { role: string; language: string | null; label: string; default: boolean; url: string }[];
  readonly subtitle: {
    behaviour: number;
    default: number | null;
    lang: string | null;
    tracks: { url: string; lang: string; on: boolean }[];
  };
}

export const SRT = '1\n00:00:01,000 --> 00:00:02,000\nHallo\n';

/** In two sizes. */
export const aFilm: NewEmbed = {
  type: 'video',
  original: { fileName: 'interview.mov', content: 'original' },
  renditions: {
    '720p': { fileName: 'interview', fileExtension: 'mp4', content: 'large', width: 1280, height: 720 },
    '360p': { fileName: 'interview', fileExtension: 'mp4', content: 'small', width: 640, height: 360 },
  },
};

/** The service with a storage, and what a viewer of embed links asks of it. */
export class DeliverEmbedStage {
  storage: TestStorage;
  app: TestApp;
  publisher: Publisher;

  constructor(private readonly options: TestAppOptions = {}) {}

  async start(): Promise<void> {
    this.storage = await startTestStorage();
    this.app = await startTestApp({ ...this.storage.settings, cdnUrl: 'https://cdn.example.org/media', ...this.options });
    this.publisher = await aPublisher(this.app);
  }

  async stop(): Promise<void> {
    await this.app?.close();
    await this.storage?.close();
  }

  readonly embed = async (wanted: NewEmbed = aFilm): Promise<Embed> => await anEmbed(this.app, this.publisher, wanted);

  readonly get = async (path: string, headers: Record<string, string> = {}) => {
    const answer = await fetch(new URL(path, this.app.url), { headers, redirect: 'manual' });
    return { status: answer.status, headers: answer.headers, text: await answer.text() };
  };

  readonly json = async (link: string, headers: Record<string, string> = {}) => {
    const { status, text, headers: answered } = await this.get(`/v5/deliverEmbed/${link}`, { accept: 'application/json', ...headers });
    return { status, headers: answered, body: JSON.parse(text) as EmbedBody };
  };

  readonly page = async (link: string, headers: Record<string, string> = {}) =>
    await this.get(`/v5/deliverEmbed/${link}`, { accept: 'text/html', ...headers });
}

/** The stage of a test file: it stands before the first test and is gone after the last. */
export function stageDeliverEmbed(options?: TestAppOptions): DeliverEmbedStage {
  const stage = new DeliverEmbedStage(options);
  beforeAll(async () => await stage.start());
  afterAll(async () => await stage.stop());
  return stage;
}
