import { Authorization, RevokedToken, ServerKey, UsedSignature } from './modules/access/index.js';
import {
  AccessKey,
  AccountLink,
  BlockedPassword,
  Customer,
  LoginFailure,
  PasskeyChallenge,
  RecoveryCode,
  SecondFactor,
  User,
} from './modules/accounts/index.js';
import { Activity } from './modules/activity/index.js';
import { ConverterWorker, Transcoding } from './modules/converter/index.js';
import {
  ArchiveDownload,
  ArchiveLayout,
  ArchiveLayoutSection,
  BandwidthBudget,
  DownloadLink,
  PlaybackLease,
} from './modules/delivery/index.js';
import { Dropsite, DropsiteCode, DropsiteUsage } from './modules/dropsites/index.js';
import { Format } from './modules/formats/index.js';
import { MediaSearchEntry } from './modules/library/index.js';
import { MediaContainer, MediaItem, PictureSize, PictureSource, StreamingIndex } from './modules/media/index.js';
import { Client, OidcRecord } from './modules/oauth/index.js';
import { EmbedLink, PlayerConfiguration, PlayerConfigurationFormat } from './modules/player-configurations/index.js';
import { IdentityProvider, SamlIdentity, SamlKey, SamlRequest, UsedAssertion } from './modules/saml/index.js';
import { DailyFigures, Play } from './modules/statistics/index.js';
import { Subscription, SubscriptionLog, SubscriptionRun } from './modules/subscriptions/index.js';
import { UploadBatch } from './modules/uploads/index.js';
import { AuditRecord } from './shared/audit/audit-record.entity.js';
import { DomainEvent } from './shared/events/index.js';
import { RateLimitCount } from './shared/http/index.js';
import { IdempotencyKey } from './shared/idempotency/index.js';
import { MailboxMail } from './shared/mail/index.js';
import { Quota } from './shared/quotas/index.js';

/** Every entity; a test fails if one is missing here. */
export const entities = [
  AccessKey,
  AccountLink,
  Activity,
  ArchiveDownload,
  ArchiveLayout,
  ArchiveLayoutSection,
  AuditRecord,
  Authorization,
  BandwidthBudget,
  BlockedPassword,
  Client,
  ConverterWorker,
  Customer,
  DailyFigures,
  DomainEvent,
  DownloadLink,
  Dropsite,
  DropsiteCode,
  DropsiteUsage,
  EmbedLink,
  Format,
  IdempotencyKey,
  IdentityProvider,
  LoginFailure,
  MailboxMail,
  MediaContainer,
  MediaItem,
  MediaSearchEntry,
  OidcRecord,
  PasskeyChallenge,
  Play,
  PictureSize,
  PictureSource,
  PlaybackLease,
  PlayerConfiguration,
  PlayerConfigurationFormat,
  Quota,
  RateLimitCount,
  RecoveryCode,
  RevokedToken,
  SamlIdentity,
  SamlKey,
  SamlRequest,
  SecondFactor,
  ServerKey,
  StreamingIndex,
  Subscription,
  SubscriptionLog,
  SubscriptionRun,
  Transcoding,
  UploadBatch,
  UsedAssertion,
  UsedSignature,
  User,
];
