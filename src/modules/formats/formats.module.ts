import { Module } from '@nestjs/common';
import { FormatReader } from './format-reader.js';
import { FormatsRepository } from './formats.repository.js';
import { OriginalFormats } from './original-formats.js';

/** Formats: how media is made of originals. */
@Module({ providers: [FormatReader, FormatsRepository, OriginalFormats], exports: [FormatReader, OriginalFormats] })
export class FormatsModule {}
