import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { viewerLanguages } from '../../../shared/languages.js';
import { type DeliverableItem, MediaReaderRepository } from '../../media/index.js';
import { deliveryErrors } from '../delivery.errors.js';
import { findStreamed, soundsOf, streamingFormats } from '../files/choose-file.js';
import { mediaNotAvailable } from '../files/files.service.js';
import { DeliveryGateService, type OpenedLink } from '../gate/delivery-gate.service.js';
import { ViewersService, type ViewerTokens } from '../gate/viewers.service.js';
import { chooseTrack, isForReading, listTracks } from '../pages/text-tracks.service.js';
import { FetchedPlaysService } from '../plays/fetched-plays.service.js';
import { type PlaylistSound, type PlaylistTrack, type Variant, writeMasterPlaylist } from './master-playlist.js';
import { writeMediaPlaylist, writeTrackPlaylist } from './media-playlist.js';

/** The bytes that the tokens of a viewer may add to a media playlist that repeats them in each segment. */
const MAX_REPEATED_BYTES = 50_000;

/** Writes the playlists of opened links (HTTP Live Streaming). Their addresses are relative, and contain the tokens that admit the viewer. */
@Injectable()
export class PlaylistsService {
  constructor(
    private readonly gate: DeliveryGateService,
    private readonly viewers: ViewersService,
    private readonly media: MediaReaderRepository,
    private readonly plays: FetchedPlaysService,
  ) {}

  /** The master playlist, with the renditions in the order of the configuration. Throws what the gate throws, and 404 `not_streamable`. */
  async master(link: string, request: Request): Promise<string> {
    const opened = await this.gate.open(link, request, { fromPlayer: true, isUse: true });
    const renditions = streamingFormats(opened);
    if (renditions.length === 0) throw deliveryErrors.not_streamable('This link has no streaming rendition.');
    const tokens = this.tokensOf(opened, request);
    const variants = renditions.map(({ item }) => variantOf(item, opened.link.link, tokens));
    const sounds = soundsOf(opened).map((item) => soundOf(item, opened.link.link, tokens));
    return writeMasterPlaylist(variants, tracksOf(opened, request, tokens), sounds);
  }

  /** The playlist of a streaming rendition or a text track. Throws what the gate throws, and 404 `media_not_available`. */
  async mediaOf(link: string, mediaId: number, request: Request): Promise<string> {
    const opened = await this.gate.open(link, request, { mediaId, fromPlayer: true });
    const query = request.hasTokensInPath ? '' : queryOf(this.tokensOf(opened, request));
    const isTrack = listTracks(opened).some((track) => track.mediaId === mediaId && isForReading(track));
    const item = isTrack ? streamingFormats(opened)[0]?.item : findStreamed(opened, mediaId);
    const index = item && (await this.media.findStreamingIndex(item.id));
    if (!index) throw mediaNotAvailable();
    if (!isTrack) return writeMediaPlaylist({ ...index, uri: `${mediaId}.mp4${query}` });
    const durationMs = index.segmentMs.reduce((sum, ms) => sum + ms, 0);
    return writeTrackPlaylist(`../subtitles/${mediaId}.vtt${query}`, durationMs);
  }

  private tokensOf(opened: OpenedLink, request: Request): ViewerTokens {
    return { ...this.viewers.tokensOf(opened, request), play: this.plays.playOf(opened.link.id, request) };
  }
}

/** A streaming rendition, and the address of its playlist. */
function streamOf({ id, streaming }: DeliverableItem, link: string, tokens: ViewerTokens) {
  if (!streaming) throw new Error(`The media item ${id} is not a streaming rendition.`);
  const query = queryOf(tokens);
  const isLong = streaming.segments * query.length > MAX_REPEATED_BYTES;
  return { ...streaming, uri: isLong ? `../${link};${pathParametersOf(tokens)}/media/${id}.m3u8` : `media/${id}.m3u8${query}` };
}

const variantOf = (item: DeliverableItem, link: string, tokens: ViewerTokens): Variant => ({
  ...streamOf(item, link, tokens),
  width: item.width,
  height: item.height,
});

function soundOf(item: DeliverableItem, link: string, tokens: ViewerTokens): PlaylistSound {
  const { sound = 'main', ...stream } = streamOf(item, link, tokens);
  return { ...stream, content: sound, language: item.language, label: item.label ?? 'Sound', isDefault: item.isDefault };
}

/** The tracks of the playlist. They are on as in the player page: by the settings of the configuration, or else by their own default. */
function tracksOf(opened: OpenedLink, request: Request, tokens: ViewerTokens): PlaylistTrack[] {
  const settings = opened.configuration.settings?.subtitle ?? {};
  if (settings.behaviour === SUBTITLES_OFF) return [];
  const tracks = listTracks(opened).filter(isForReading);
  const on = chooseTrack(settings, tracks, viewerLanguages(request.headers['accept-language']));
  return tracks.map(({ mediaId, role, language, label }, index) => ({
    ...{ uri: `media/${mediaId}.m3u8${queryOf(tokens)}`, language, label, isOn: index === on },
    role: role === 'captions' ? role : 'subtitles',
  }));
}

const SUBTITLES_OFF = 0;

function queryOf(tokens: ViewerTokens): string {
  const search = new URLSearchParams({ ...tokens }).toString();
  return search === '' ? '' : `?${search}`;
}

/** The path parameters that `tokensInPath` reads. They use base64url, because proxies may decode an escaped slash. */
function pathParametersOf({ auth, ...others }: ViewerTokens): string {
  const plain = auth?.replaceAll('=', '').replaceAll('+', '-').replaceAll('/', '_');
  return new URLSearchParams({ ...(plain !== undefined && { auth: plain }), ...others }).toString().replaceAll('&', ';');
}
