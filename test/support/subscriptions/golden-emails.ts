import type { EmailTemplate } from '../../../src/modules/subscriptions/instructions/email/email-templates.js';
import type { Language } from '../../../src/shared/languages.js';

/** Subject and plain text of the mails of emailSamples, as reviewed by a person. Lines have no trailing spaces, except `-- `. */
export const goldenEmails: Readonly<Record<EmailTemplate, Readonly<Record<Language, string>>>> = {
  downloadLink: {
    en: `Ready to download: Summer party

Your download is ready

Ada Lovelace has sent you 3 files.

> The pictures of Friday.
> Please choose ten.

Title: Summer party
Available until: 3 February 2026 at 14:05 UTC

Download:
https://media.example.org/l/b1c5a2f0-6a0e-4b57-9c1e-2f1f6f1f0c11

Anyone with this link can download the files. Share it only with people who are allowed to have them.

-- 
Media & Co at media.example.org sent this e-mail automatically.`,
    de: `Download bereit: Summer party

Ihr Download ist bereit

Ada Lovelace hat Ihnen 3 Dateien gesendet.

> The pictures of Friday.
> Please choose ten.

Titel: Summer party
Verfügbar bis: 3. Februar 2026 um 14:05 UTC

Herunterladen:
https://media.example.org/l/b1c5a2f0-6a0e-4b57-9c1e-2f1f6f1f0c11

Jede Person mit diesem Link kann die Dateien herunterladen. Geben Sie ihn nur an Berechtigte weiter.

-- 
Media & Co auf media.example.org hat diese E-Mail automatisch gesendet.`,
  },
  uploadComplete: {
    en: `Upload complete: 3 media containers

Upload complete

The upload is complete. Received: 3 media containers.

Dropsite: Press photos
Upload: 0c6a7a0e-3d0b-4c55-a8ee-6a1d1e6c2f10

Open:
https://media.example.org/uploads/1

-- 
Media & Co at media.example.org sent this e-mail automatically.`,
    de: `Upload abgeschlossen: 3 Mediencontainer

Upload abgeschlossen

Der Upload ist abgeschlossen. Empfangen: 3 Mediencontainer.

Dropsite: Press photos
Upload: 0c6a7a0e-3d0b-4c55-a8ee-6a1d1e6c2f10

Öffnen:
https://media.example.org/uploads/1

-- 
Media & Co auf media.example.org hat diese E-Mail automatisch gesendet.`,
  },
  dropsiteUploadStarted: {
    en: `Upload started: Press photos

Upload started

An upload of 3 files (1.2 GB) to your dropsite has started.

You can use the files when the upload is complete.

Dropsite: Press photos
Files: 3
Size: 1.2 GB
Expected duration: 2 hours, 5 minutes
Upload: 0c6a7a0e-3d0b-4c55-a8ee-6a1d1e6c2f10

-- 
Media & Co at media.example.org sent this e-mail automatically.`,
    de: `Upload begonnen: Press photos

Upload begonnen

Der Upload von 3 Dateien (1,2 GB) in Ihre Dropsite hat begonnen.

Sie können die Dateien nutzen, sobald der Upload abgeschlossen ist.

Dropsite: Press photos
Dateien: 3
Größe: 1,2 GB
Erwartete Dauer: 2 Stunden, 5 Minuten
Upload: 0c6a7a0e-3d0b-4c55-a8ee-6a1d1e6c2f10

-- 
Media & Co auf media.example.org hat diese E-Mail automatisch gesendet.`,
  },
  dropsiteUploadComplete: {
    en: `New files: Press photos

New files have arrived

grace@example.org has uploaded 1 media container to your dropsite.

Dropsite: Press photos
From: grace@example.org
Upload: 0c6a7a0e-3d0b-4c55-a8ee-6a1d1e6c2f10

Open:
https://media.example.org/dropsites/5

-- 
Media & Co at media.example.org sent this e-mail automatically.`,
    de: `Neue Dateien: Press photos

Neue Dateien sind eingetroffen

grace@example.org hat 1 Mediencontainer in Ihre Dropsite hochgeladen.

Dropsite: Press photos
Von: grace@example.org
Upload: 0c6a7a0e-3d0b-4c55-a8ee-6a1d1e6c2f10

Öffnen:
https://media.example.org/dropsites/5

-- 
Media & Co auf media.example.org hat diese E-Mail automatisch gesendet.`,
  },
  releaseRequest: {
    en: `Release requested: At the river

Release requested

Grace Hopper asks you to release a media container.

> We need it for the front page.
> Today, please.

Media container: At the river
Requested by: Grace Hopper

Open:
https://media.example.org/release/12

-- 
Media & Co at media.example.org sent this e-mail automatically.`,
    de: `Freigabe erbeten: At the river

Freigabe erbeten

Grace Hopper bittet Sie, einen Mediencontainer freizugeben.

> We need it for the front page.
> Today, please.

Mediencontainer: At the river
Erbeten von: Grace Hopper

Öffnen:
https://media.example.org/release/12

-- 
Media & Co auf media.example.org hat diese E-Mail automatisch gesendet.`,
  },
  transcoderJobComplete: {
    en: `Transcoding failed: At the river

Transcoding failed

The file could not be converted to the new format. The original is unchanged.

Media container: At the river
File: no. 34
Format: Web, 1080p
Job: 0c6a7a0e-3d0b-4c55-a8ee-6a1d1e6c2f10

-- 
Media & Co at media.example.org sent this e-mail automatically.`,
    de: `Umwandlung fehlgeschlagen: At the river

Umwandlung fehlgeschlagen

Die Datei konnte nicht in das neue Format umgewandelt werden. Das Original ist unverändert.

Mediencontainer: At the river
Datei: Nr. 34
Format: Web, 1080p
Auftrag: 0c6a7a0e-3d0b-4c55-a8ee-6a1d1e6c2f10

-- 
Media & Co auf media.example.org hat diese E-Mail automatisch gesendet.`,
  },
  s3success: {
    en: `File arrived: At the river

A file has arrived

The upload of a file is complete.

Media container: At the river
File: no. 34

-- 
Media & Co at media.example.org sent this e-mail automatically.`,
    de: `Datei angekommen: At the river

Eine Datei ist angekommen

Eine Datei wurde vollständig hochgeladen.

Mediencontainer: At the river
Datei: Nr. 34

-- 
Media & Co auf media.example.org hat diese E-Mail automatisch gesendet.`,
  },
  dropsiteToPublicArea: {
    en: `New files for public areas: Press photos

New files for public areas

A dropsite that is connected to 2 public areas has received 2 media containers.

Dropsite: Press photos
Public areas: 2

-- 
Media & Co at media.example.org sent this e-mail automatically.`,
    de: `Neue Dateien für öffentliche Bereiche: Press photos

Neue Dateien für öffentliche Bereiche

Eine Dropsite, die mit 2 öffentlichen Bereichen verbunden ist, hat 2 Mediencontainer erhalten.

Dropsite: Press photos
Öffentliche Bereiche: 2

-- 
Media & Co auf media.example.org hat diese E-Mail automatisch gesendet.`,
  },
};
