import { describe, expect, it } from '@jest/globals';
import { A_SOUND, AN_IMAGE, aRequest, aSource, type Change, print } from '../../../../test/support/converter/format-requests.js';
import { buildInvocation } from './build-invocation.js';

const watermark = { mediaContainerId: 1 };
const refused: readonly (readonly [string, string, Change])[] = [
  ['The source has no picture. Choose a format without one.', 'h264-720p', { source: aSource({ hasVideo: false }) }],
  ['The source has no sound. Choose a format with a picture.', 'mp3', { source: aSource({ ...A_SOUND, hasAudio: false }) }],
  ['ffmpeg converts only video and audio.', 'video-poster', { source: AN_IMAGE }],
  ['Only images can be converted to images.', 'jpeg', { source: aSource({ fileExtension: 'jpg' }) }],
  ['Images of the type "svg" are not supported.', 'jpeg', { source: { ...AN_IMAGE, fileExtension: 'svg' } }],
  ['Images of the type "" are not supported.', 'jpeg', { source: { ...AN_IMAGE, fileExtension: null } }],
  [
    'Documents of the type "html" are not supported.',
    'document-pdf',
    { source: aSource({ mediaType: 'document', fileExtension: 'html' }) },
  ],
  ["A watermark needs the picture's size, which is not known.", 'h264-720p', { settings: { watermark }, source: aSource({ width: null }) }],
  ['The watermark is missing or is not a supported image.', 'jpeg', { settings: { watermark } }],
  [
    'A picture that is copied unchanged cannot have a watermark or timecode.',
    'h264-720p',
    { settings: { watermark, ffmpeg: { 'c:v': 'copy' } } },
  ],
  [
    'Sound that is copied unchanged cannot have an audio watermark.',
    'mp3',
    { settings: { audioWatermark: { mediaContainerId: 1 }, ffmpeg: { 'c:a': 'copy' } } },
  ],
];

describe('an invocation is refused', () => {
  it.each(refused)('with a reason: %s', (problem, blueprint, change) => {
    expect(buildInvocation(aRequest(blueprint, change))).toEqual({ kind: 'refused', problems: [problem] });
  });
});

describe('the converter cli', () => {
  const tools = [{ name: 'stitch', argv: ['--from', '{input}', '--to={output}', '{output}'] }];
  const request = (tool: string) => ({
    ...aRequest('jpeg'),
    converter: 'cli' as const,
    command: { tool },
    settings: { filetype: 'bin' },
    tools,
  });

  it('starts a tool of the operator with the arguments of the operator', () => {
    expect(print(buildInvocation(request('stitch')))).toBe(
      'reads input\ntool stitch\n  --from input\n  --to={output} output.bin\nmakes output.bin\n',
    );
  });

  it('refuses everything else', () => {
    expect(buildInvocation(request('rm'))).toEqual({ kind: 'refused', problems: ['The operator offers no tool "rm".'] });
    expect(buildInvocation(request('/bin/sh')).kind).toBe('refused');
    expect(buildInvocation({ ...request('stitch'), tools: [] }).kind).toBe('refused');
  });
});

describe('a video', () => {
  const argvOf = (change: Change, blueprint = 'h264-720p') => {
    const invocation = buildInvocation(aRequest(blueprint, change));
    return invocation.kind === 'run' ? (invocation.steps[0]?.argv ?? []).join(' ') : JSON.stringify(invocation);
  };

  it('is copied without filters', () => {
    expect(argvOf({ settings: { ffmpeg: { 'c:v': 'copy', 'c:a': 'copy' } } })).not.toContain('scale');
  });

  it('without sound is marked in the picture only', () => {
    const argv = argvOf({ settings: { audioWatermark: { mediaContainerId: 1 } }, source: aSource({ hasAudio: false }) });
    expect(argv).toContain(' -an ');
    expect(argv).not.toContain('amix');
  });

  it('in test mode is five seconds long unless it is said, and never longer than the format wants', () => {
    expect(argvOf({ settings: { testMode: {} } })).toContain(' -t 5 ');
    expect(argvOf({ settings: { testMode: { seconds: 2 } } })).toContain(' -t 2 ');
    expect(argvOf({ settings: { testMode: { seconds: 20 }, ffmpeg: { t: 3 } } })).toContain(' -t 3 ');
    expect(argvOf({ settings: { ffmpeg: { t: 9 } } })).toContain(' -t 9 ');
    expect(argvOf({})).not.toContain(' -t ');
  });

  it('loses its metadata, also when only its sound is taken; sound keeps its titles', () => {
    const titles = { title: 'Harbour', artist: '-y /etc/passwd' };
    expect(argvOf({ source: aSource({ titles }) }, 'mp3')).toMatch(/ -map_metadata -1 -map_chapters -1 -c:a/);
    const kept = ' -map_metadata -1 -map_chapters -1 -metadata title=Harbour -metadata artist=-y /etc/passwd ';
    expect(argvOf({ source: { ...A_SOUND, titles } }, 'mp3')).toContain(kept);
  });

  it('leaves out sound that the format does not want', () => {
    expect(argvOf({ parameters: { an: true } })).toContain(' -an ');
  });
});
