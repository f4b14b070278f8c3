import { Injectable } from '@nestjs/common';
import { type SealedText, SealedTextsRepository, type StoredColumn } from './sealed-texts.repository.js';
import { SecretBoxService, sealedColumns } from './secret-box.service.js';

const ROWS_AT_A_TIME = 500;
/** Half of the connections of a process. */
const UPDATES_AT_A_TIME = 8;
/** The run ends after a pass without changes; other processes write under an old secret only until they are restarted. */
const MAX_PASSES = 5;
const MAX_SHOWN_IDS = 20;

/** The results for one sealed column. */
export interface ColumnReencryption {
  /** The total number of sealed texts. */
  readonly records: number;
  readonly reencrypted: number;
  /** Texts sealed under a secret that is neither APP_SECRET nor in APP_SECRET_PREVIOUS. */
  readonly unreadable: number;
  /** The primary keys of the first unreadable records. */
  readonly unreadableIds?: readonly string[];
}

/** The results of a re-encryption, by `table.column`. */
export interface Reencryption {
  readonly columns: Readonly<Record<string, ColumnReencryption>>;
  readonly reencrypted: number;
  readonly unreadable: number;
}

interface Pass {
  records: number;
  reencrypted: number;
  /** The number of texts that others changed between reading and writing. */
  overtaken: number;
  readonly unreadable: string[];
}

/**
 * Re-encrypts all sealed texts under APP_SECRET. Each row is changed by a separate UPDATE, which applies only if the text is still the one that
 * was read, so that running processes are neither delayed nor overwritten. Texts already sealed under APP_SECRET are skipped, so that the next
 * run continues an interrupted one.
 */
@Injectable()
export class SecretReencryptionService {
  constructor(
    private readonly texts: SealedTextsRepository,
    private readonly box: SecretBoxService,
  ) {}

  /** Reads all columns repeatedly until a pass changes nothing. */
  async run(): Promise<Reencryption> {
    const columns: Record<string, ColumnReencryption> = {};
    for (const column of sealedColumns.map((one) => this.texts.columnOf(one))) {
      columns[`${column.table}.${column.column}`] = await this.reencrypt(column);
    }
    const sum = (name: 'reencrypted' | 'unreadable') => Object.values(columns).reduce((total, one) => total + one[name], 0);
    return { columns, reencrypted: sum('reencrypted'), unreadable: sum('unreadable') };
  }

  private async reencrypt(column: StoredColumn): Promise<ColumnReencryption> {
    let pass: Pass;
    let reencrypted = 0;
    for (let passes = 1; ; passes += 1) {
      pass = await this.pass(column);
      reencrypted += pass.reencrypted;
      if (pass.reencrypted + pass.overtaken === 0 || passes === MAX_PASSES) break;
    }
    const { records, unreadable } = pass;
    const ids = unreadable.length > 0 && { unreadableIds: unreadable.slice(0, MAX_SHOWN_IDS) };
    return { records, reencrypted, unreadable: unreadable.length, ...ids };
  }

  private async pass(column: StoredColumn): Promise<Pass> {
    const pass: Pass = { records: 0, reencrypted: 0, overtaken: 0, unreadable: [] };
    let last: readonly string[] | null = null;
    for (;;) {
      const rows: readonly SealedText[] = await this.texts.list(column, { after: last, limit: ROWS_AT_A_TIME });
      for (let first = 0; first < rows.length; first += UPDATES_AT_A_TIME) {
        await Promise.all(rows.slice(first, first + UPDATES_AT_A_TIME).map(async (row) => await this.treat(column, row, pass)));
      }
      last = rows.at(-1)?.id ?? null;
      if (rows.length < ROWS_AT_A_TIME) return pass;
    }
  }

  private async treat(column: StoredColumn, row: SealedText, pass: Pass): Promise<void> {
    pass.records += 1;
    const opened = this.box.tryOpen(column.purpose, row.sealed);
    if (!opened) pass.unreadable.push(row.id.join(' '));
    else if (opened.secret > 0) {
      const plain = this.withMacKey(column, opened.plain, opened.secret);
      if (await this.texts.replace(column, row, this.box.seal(column.purpose, plain))) pass.reencrypted += 1;
      else pass.overtaken += 1;
    }
  }

  /** Keeps an existing key from an earlier rotation, because the record was created with it. */
  private withMacKey({ keepsMacKeyOf }: StoredColumn, plain: string, secret: number): string {
    if (keepsMacKeyOf === null) return plain;
    return JSON.stringify({ macKey: this.box.key(keepsMacKeyOf, secret).toString('base64'), ...(JSON.parse(plain) as object) });
  }
}
