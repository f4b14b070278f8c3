import { CreateAccounts1763600000000 } from './1763600000000-CreateAccounts.js';
import { CreateOauth1763600100000 } from './1763600100000-CreateOauth.js';
import { CreateAccess1763600200000 } from './1763600200000-CreateAccess.js';
import { CreateKernel1763600300000 } from './1763600300000-CreateKernel.js';
import { CreateSignedRequests1763600400000 } from './1763600400000-CreateSignedRequests.js';
import { IndexAuditSubjects1763600450000 } from './1763600450000-IndexAuditSubjects.js';
import { CreateSaml1763600500000 } from './1763600500000-CreateSaml.js';
import { KeySamlIdentities1763600550000 } from './1763600550000-KeySamlIdentities.js';
import { CreateMedia1763600600000 } from './1763600600000-CreateMedia.js';
import { CreateUploads1763600700000 } from './1763600700000-CreateUploads.js';
import { CreateDropsites1763600800000 } from './1763600800000-CreateDropsites.js';
import { CreateFormats1763600900000 } from './1763600900000-CreateFormats.js';
import { CreatePlayerConfigurations1763601000000 } from './1763601000000-CreatePlayerConfigurations.js';
import { CreateDelivery1763601100000 } from './1763601100000-CreateDelivery.js';
import { CreateSubscriptions1763601200000 } from './1763601200000-CreateSubscriptions.js';
import { CreateIdempotencyKeys1763601300000 } from './1763601300000-CreateIdempotencyKeys.js';
import { CreateMailbox1763601400000 } from './1763601400000-CreateMailbox.js';
import { CreateTranscoding1763601500000 } from './1763601500000-CreateTranscoding.js';
import { KeepOldClientSecrets1763602100000 } from './1763602100000-KeepOldClientSecrets.js';
import { CreateQuotas1763900200000 } from './1763900200000-CreateQuotas.js';
import { NotePdfScripts1763900400000 } from './1763900400000-NotePdfScripts.js';
import { DeriveAuthorizations1763900500000 } from './1763900500000-DeriveAuthorizations.js';
import { BindSignaturesToMethods1763900500100 } from './1763900500100-BindSignaturesToMethods.js';
import { KeepSupportEditors1763900500200 } from './1763900500200-KeepSupportEditors.js';
import { AddFramedConsent1763900500300 } from './1763900500300-AddFramedConsent.js';
import { AddTracksAndStreams1763900500400 } from './1763900500400-AddTracksAndStreams.js';
import { NameAuditRecordsByIds1763900600000 } from './1763900600000-NameAuditRecordsByIds.js';
import { AddTraceContext1763900700000 } from './1763900700000-AddTraceContext.js';
import { CreateMediaSearch1763900800000 } from './1763900800000-CreateMediaSearch.js';
import { FillMediaSearch1763900800100 } from './1763900800100-FillMediaSearch.js';
import { GroupMediaSearchEntries1763900810000 } from './1763900810000-GroupMediaSearchEntries.js';
import { CoverMediaFinds1763900810100 } from './1763900810100-CoverMediaFinds.js';
import { IndexMediaByTime1763900820000 } from './1763900820000-IndexMediaByTime.js';
import { EnterNewMediaOnce1763900830000 } from './1763900830000-EnterNewMediaOnce.js';
import { AddMediaSearchCreators1763900840000 } from './1763900840000-AddMediaSearchCreators.js';
import { IndexMediaByCreator1763900840100 } from './1763900840100-IndexMediaByCreator.js';
import { IndexOidcRecordsByAccount1763900850000 } from './1763900850000-IndexOidcRecordsByAccount.js';
import { DescribeFiles1763901200000 } from './1763901200000-DescribeFiles.js';
import { SeparateLongTranscodings1763901300000 } from './1763901300000-SeparateLongTranscodings.js';
import { CanonicalEmails1763902000000 } from './1763902000000-CanonicalEmails.js';
import { AddVersions1764005000000 } from './1764005000000-AddVersions.js';
import { CloseUploadBatches1764010000000 } from './1764010000000-CloseUploadBatches.js';
import { CountLinkUses1764100000000 } from './1764100000000-CountLinkUses.js';
import { CreateStatistics1764110000000 } from './1764110000000-CreateStatistics.js';
import { CreatePictureSizes1764200000000 } from './1764200000000-CreatePictureSizes.js';
import { KeepChecksums1764300000000 } from './1764300000000-KeepChecksums.js';
import { CreateAccountLinks1764400000000 } from './1764400000000-CreateAccountLinks.js';
import { CreateBlockedPasswords1764400000100 } from './1764400000100-CreateBlockedPasswords.js';
import { CreateSecondFactors1764500000000 } from './1764500000000-CreateSecondFactors.js';
import { AddAdministration1764600000000 } from './1764600000000-AddAdministration.js';
import { ExtendAccountLinks1764650000000 } from './1764650000000-ExtendAccountLinks.js';
import { AddDeclaredNames1764700000000 } from './1764700000000-AddDeclaredNames.js';
import { EndAccessOfDisabledUsers1764710000000 } from './1764710000000-EndAccessOfDisabledUsers.js';
import { ProtectAccounts1764720000000 } from './1764720000000-ProtectAccounts.js';
import { KeepArchiveLayouts1764730000000 } from './1764730000000-KeepArchiveLayouts.js';
import { StateWhatArrived1764770000000 } from './1764770000000-StateWhatArrived.js';
import { AddSenders1764780000000 } from './1764780000000-AddSenders.js';
import { KeepTraces1764790000000 } from './1764790000000-KeepTraces.js';
import { DropUnusedSearchIndexes1764800000000 } from './1764800000000-DropUnusedSearchIndexes.js';
import { AddDefaultConfigurations1764810000000 } from './1764810000000-AddDefaultConfigurations.js';
import { NotifyVersion111764820000000 } from './1764820000000-NotifyVersion11.js';

/** Every migration, the oldest first. */
export const migrations = [
  CreateAccounts1763600000000,
  CreateOauth1763600100000,
  CreateAccess1763600200000,
  CreateKernel1763600300000,
  CreateSignedRequests1763600400000,
  IndexAuditSubjects1763600450000,
  CreateSaml1763600500000,
  KeySamlIdentities1763600550000,
  CreateMedia1763600600000,
  CreateUploads1763600700000,
  CreateDropsites1763600800000,
  CreateFormats1763600900000,
  CreatePlayerConfigurations1763601000000,
  CreateDelivery1763601100000,
  CreateSubscriptions1763601200000,
  CreateIdempotencyKeys1763601300000,
  CreateMailbox1763601400000,
  CreateTranscoding1763601500000,
  KeepOldClientSecrets1763602100000,
  CreateQuotas1763900200000,
  NotePdfScripts1763900400000,
  DeriveAuthorizations1763900500000,
  BindSignaturesToMethods1763900500100,
  KeepSupportEditors1763900500200,
  AddFramedConsent1763900500300,
  AddTracksAndStreams1763900500400,
  NameAuditRecordsByIds1763900600000,
  AddTraceContext1763900700000,
  CreateMediaSearch1763900800000,
  FillMediaSearch1763900800100,
  GroupMediaSearchEntries1763900810000,
  CoverMediaFinds1763900810100,
  IndexMediaByTime1763900820000,
  EnterNewMediaOnce1763900830000,
  AddMediaSearchCreators1763900840000,
  IndexMediaByCreator1763900840100,
  IndexOidcRecordsByAccount1763900850000,
  DescribeFiles1763901200000,
  SeparateLongTranscodings1763901300000,
  CanonicalEmails1763902000000,
  AddVersions1764005000000,
  CloseUploadBatches1764010000000,
  CountLinkUses1764100000000,
  CreateStatistics1764110000000,
  CreatePictureSizes1764200000000,
  KeepChecksums1764300000000,
  CreateAccountLinks1764400000000,
  CreateBlockedPasswords1764400000100,
  CreateSecondFactors1764500000000,
  AddAdministration1764600000000,
  ExtendAccountLinks1764650000000,
  AddDeclaredNames1764700000000,
  EndAccessOfDisabledUsers1764710000000,
  ProtectAccounts1764720000000,
  KeepArchiveLayouts1764730000000,
  StateWhatArrived1764770000000,
  AddSenders1764780000000,
  KeepTraces1764790000000,
  DropUnusedSearchIndexes1764800000000,
  AddDefaultConfigurations1764810000000,
  NotifyVersion111764820000000,
];
