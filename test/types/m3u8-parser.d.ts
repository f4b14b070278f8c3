/** The parts of m3u8-parser that the tests use; the package brings no types. */
declare module 'm3u8-parser' {
  export interface ByteRange {
    readonly offset: number;
    readonly length: number;
  }
  export interface ParsedSegment {
    readonly uri: string;
    readonly duration: number;
    readonly byterange?: ByteRange;
    readonly map?: { readonly uri: string; readonly byterange?: ByteRange };
  }
  export interface ParsedMedia {
    readonly default: boolean;
    readonly autoselect: boolean;
    readonly language?: string;
    readonly uri?: string;
    readonly characteristics?: string;
    readonly forced?: boolean;
  }
  export interface ParsedManifest {
    readonly endList?: boolean;
    readonly playlistType?: string;
    readonly targetDuration?: number;
    readonly version?: number;
    readonly independentSegments?: boolean;
    readonly segments: readonly ParsedSegment[];
    readonly playlists?: readonly { readonly uri: string; readonly attributes: Readonly<Record<string, unknown>> }[];
    readonly mediaGroups?: Readonly<Record<'AUDIO' | 'SUBTITLES', Readonly<Record<string, Readonly<Record<string, ParsedMedia>>>>>>;
  }
  export class Parser {
    readonly manifest: ParsedManifest;
    on(event: 'warn' | 'error', listener: (event: { readonly message: string }) => void): void;
    push(text: string): void;
    end(): void;
  }
}
