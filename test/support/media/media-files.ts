import path from 'node:path';
import { run } from '../converter/run-invocation.js';

/** Media that ffmpeg and ImageMagick draw themselves, by what they are. */
export interface MediaFiles {
  /** 1280 x 720, 2 seconds of 25 pictures, with a tone; its title and place are in its metadata. */
  readonly video: string;
  /** 640 x 360, 2 seconds, grey, without sound. */
  readonly grey: string;
  /** 6 seconds of silence. */
  readonly silence: string;
  /** 0.3 seconds of a loud tone. */
  readonly beep: string;
  /** 600 x 400, the upper half red, the lower blue, stored lying on its side (EXIF orientation 6). */
  readonly photo: string;
  /** 400 x 300, grey. */
  readonly plain: string;
  /** 100 x 50, red. */
  readonly mark: string;
}

/** Draws them into a folder. */
export async function drawMedia(folder: string): Promise<MediaFiles> {
  const file = (name: string) => path.join(folder, name);
  const ffmpeg = async (...argv: string[]) => await run(folder, 'ffmpeg', ['-v', 'error', '-y', ...argv]);
  const convert = async (...argv: string[]) => await run(folder, 'convert', argv);
  const lavfi = (source: string) => ['-f', 'lavfi', '-i', source];
  const x264 = ['-c:v', 'libx264', '-preset', 'ultrafast'];
  const place = ['-metadata', 'title=Harbour', '-metadata', 'location=+51.9-004.4/'];
  await ffmpeg(...lavfi('testsrc2=s=1280x720:r=25:d=2'), ...lavfi('sine=f=440:d=2'), ...x264, '-c:a', 'aac', ...place, file('video.mp4'));
  await ffmpeg(...lavfi('color=c=gray:s=640x360:r=25:d=2'), ...x264, file('grey.mp4'));
  await ffmpeg(...lavfi('anullsrc=r=48000:cl=stereo'), '-t', '6', file('silence.wav'));
  await ffmpeg(...lavfi('sine=f=1000:d=0.3'), '-af', 'volume=12dB', file('beep.wav'));
  // Upright, red is at the top; turned by 270 degrees it is what a camera held sideways stores.
  const halves = ['(', '-size', '600x200', 'xc:red', ')', '(', '-size', '600x200', 'xc:blue', ')', '-append', '-rotate', '270', '+repage'];
  await convert(...halves, '-quality', '95', 'jpeg:photo.jpg');
  await run(folder, 'exiftool', [
    '-q',
    '-overwrite_original',
    '-n',
    '-Orientation=6',
    '-GPSLatitude=51.9',
    '-GPSLatitudeRef=N',
    '-Make=Camera',
    'photo.jpg',
  ]);
  await convert('-size', '400x300', 'xc:gray50', 'png:plain.png');
  await convert('-size', '100x50', 'xc:red', 'png:mark.png');
  return {
    video: file('video.mp4'),
    grey: file('grey.mp4'),
    silence: file('silence.wav'),
    beep: file('beep.wav'),
    photo: file('photo.jpg'),
    plain: file('plain.png'),
    mark: file('mark.png'),
  };
}
