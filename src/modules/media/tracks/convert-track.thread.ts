import { runInThread } from '../../../shared/threads/index.js';
import { convertTextTrack } from './convert-text-track.js';

runInThread((content: Uint8Array) => convertTextTrack(Buffer.from(content.buffer, content.byteOffset, content.length)));
