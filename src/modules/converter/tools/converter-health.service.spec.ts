import { describe, expect, it } from '@jest/globals';
import { describeWorkers } from './converter-health.service.js';
import { type ConverterWorker, NO_ISOLATION, unableToWork } from './converter-worker.entity.js';

const ALL = { limits: true, network: true, processes: true, files: true, user: true, privileges: true };
const worker = (fields: Partial<ConverterWorker>): ConverterWorker => ({
  name: 'a worker',
  host: 'a machine',
  programs: [],
  tools: {},
  isolation: ALL,
  startedAt: new Date(0),
  ...fields,
});
const NOT_INSTALLED = { problem: 'ffmpeg is not installed.' };

describe('the health of the workers', () => {
  it('shows that no worker runs', () => {
    expect(describeWorkers([])).toEqual({ workers: 0, programs: {}, isolation: null });
  });

  it('shows the programs of the workers, and those that all of them lack', () => {
    const tools = {
      ffmpeg: NOT_INSTALLED,
      ffprobe: { version: '5.1.9' },
      'cli-tools.json': { problem: 'cli-tools.json needs something.' },
    };
    expect(describeWorkers([worker({ programs: ['ffprobe', 'cli:upper'], tools })])).toEqual({
      workers: 1,
      programs: {
        ffmpeg: 'ffmpeg is not installed.',
        ffprobe: '5.1.9',
        'cli-tools.json': 'cli-tools.json needs something.',
        'cli:upper': 'available',
      },
      isolation: ALL,
    });
  });

  it('shows what makes images: sharp, and ImageMagick only with it', () => {
    const enginesOf = (...programs: string[]) => describeWorkers([worker({ programs })]).imageEngines;
    expect([enginesOf('sharp'), enginesOf('convert', 'sharp'), enginesOf('convert')]).toEqual([
      ['sharp'],
      ['imagemagick', 'sharp'],
      undefined,
    ]);
  });

  it('lists workers that cannot make renditions separately', () => {
    const unable = { ...worker({ host: 'app-1' }), ...unableToWork('The temporary folder cannot be used.') };
    const problems = ['A worker on app-1 makes no renditions. The temporary folder cannot be used.'];
    expect(describeWorkers([unable, unable])).toEqual({ workers: 0, programs: {}, isolation: null, problems });
    const able = worker({ programs: ['ffmpeg'], tools: { ffmpeg: { version: '5.1.9' } } });
    expect(describeWorkers([unable, able])).toEqual({ workers: 1, programs: { ffmpeg: '5.1.9' }, isolation: ALL, problems });
  });

  it('lists workers that refuse to run programs, and accepts shorter reports of earlier versions', () => {
    const refusing = worker({ host: 'app-1', isolation: { ...NO_ISOLATION, limits: true, refusal: 'Programs cannot be isolated here.' } });
    expect(describeWorkers([refusing, worker({})])).toEqual({
      workers: 2,
      programs: {},
      isolation: { ...NO_ISOLATION, limits: true },
      problems: ['A worker on app-1 runs no programs. Programs cannot be isolated here.'],
    });
    const { user: _, privileges: __, ...earlier } = ALL;
    expect(describeWorkers([worker({ isolation: earlier as typeof ALL })]).isolation).toEqual({ ...ALL, user: false, privileges: false });
  });

  it('shows the machines that differ', () => {
    const having = (version: string) => worker({ programs: ['ffmpeg'], tools: { ffmpeg: { version } } });
    const lacking = worker({ tools: { ffmpeg: NOT_INSTALLED }, isolation: { ...ALL, network: false } });
    expect(describeWorkers([having('5.1.9'), having('5.1.9')]).programs).toEqual({ ffmpeg: '5.1.9' });
    expect(describeWorkers([having('5.1.9'), lacking, having('7.0')])).toEqual({
      workers: 3,
      programs: { ffmpeg: '5.1.9, 7.0 (2 of 3 workers)' },
      isolation: { ...ALL, network: false },
    });
  });
});
