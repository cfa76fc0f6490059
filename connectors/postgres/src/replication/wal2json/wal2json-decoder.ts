/**
 * Decodes the documents of wal2json (cdc-postgres §5.11): format version 1, whole or in chunks, and format version 2. A
 * transaction in one document is decoded batch by batch.
 */
import type { SourceOffset } from '@millrace/sdk';
import type { Client } from 'pg';
import type { Lsn } from '../../database/lsn';
import { MAX_BATCH_BYTES, type Session } from '../../session';
import { ChangeDecoder } from '../change-decoder';
import type { Position } from '../position';
import type { Decoded } from '../stream-decoder';
import { ChangeObject } from './change-object';
import { DocumentHeader } from './document-header';
import { CLOSE_ARRAY, CLOSE_OBJECT, COMMA, JsonCursor, malformed, OPEN_OBJECT } from './json-cursor';
import { JsonRows } from './json-rows';

/** Of a transaction whose begin was not received. No transaction of the server has it. */
const UNKNOWN_XID = -1;

export class Wal2JsonDecoder extends ChangeDecoder {
  private readonly cursor = new JsonCursor();
  private readonly header = new DocumentHeader();
  private readonly object = new ChangeObject();
  /** The buffer and position that `object` was parsed from. */
  private parsed: Buffer | null = null;
  private parsedAt = 0;
  private readonly json: JsonRows;
  private readonly maxBatch: number;
  /** How much of the current message is decoded. */
  private done = 0;
  /** Within the array of changes of a document. */
  private inChanges = false;
  /** End of the current transaction's commit record, if its header says: a whole document has another position. */
  private commitLsn: Lsn | null = null;

  constructor(
    session: Pick<Session, 'config' | 'relations' | 'factory' | 'logger'>,
    position: Position,
    lastOffset: SourceOffset | null,
  ) {
    super(session, position, lastOffset);
    this.json = new JsonRows(session.relations, this.rows, this.rowContext);
    this.maxBatch = session.config.queue.maxBatch;
  }

  override restart(): void {
    super.restart();
    this.json.restart();
    this.parsed = null;
    this.done = 0;
    this.inChanges = false;
  }

  override async prepare(connect: () => Promise<Client>): Promise<void> {
    await this.json.prepare(connect);
  }

  protected override payload(buffer: Buffer, at: number, end: number, lsn: Lsn): Decoded {
    const { cursor, rows } = this;
    cursor.open(buffer, at + this.done, end);
    const from = cursor.at;
    for (let byte = cursor.peek(); byte >= 0; byte = cursor.peek()) {
      // Where decoding resumes if it stops here.
      this.done = cursor.at - at;
      if (rows.out.length >= this.maxBatch || cursor.at - from >= MAX_BATCH_BYTES) return 'part';
      if (byte === COMMA) {
        // wal2json writes one in front of a message outside of transactions, too.
        cursor.at++;
      } else if (byte === CLOSE_ARRAY) {
        cursor.at++;
        cursor.expect(CLOSE_OBJECT);
        this.inChanges = false;
        if (this.tx.open) this.commit(this.commitLsn ?? lsn);
      } else if (byte !== OPEN_OBJECT)
        throw malformed(`"${String.fromCharCode(byte)}" begins neither a change nor a transaction`);
      else if (this.inChanges || !this.header.read(cursor)) {
        if (!this.one(buffer, cursor.at, end, lsn)) return 'blocked';
      } else this.document();
    }
    this.done = 0;
    return 'all';
  }

  /** Begins the transaction of a header that was just read. */
  private document(): void {
    const { header } = this;
    this.inChanges = true;
    this.commitLsn = header.nextLsn;
    // A message outside of transactions comes in a document without xid.
    if (header.xid !== null) this.begin(Infinity, header.xid, header.micros);
  }

  /** Decodes the object at `from` and moves the cursor past it. False when `prepare` must run first. */
  private one(buffer: Buffer, from: number, end: number, lsn: Lsn): boolean {
    const { cursor, object, tx } = this;
    this.parse(buffer, from, end);
    // `emit` may parse another one.
    const next = object.end;
    if (object.action === 'begin') this.begin(Infinity, object.xid ?? UNKNOWN_XID, object.micros(buffer));
    else if (object.action === 'commit') this.commit(lsn);
    else if (object.action !== 'message') {
      if (!tx.open) this.unannounced();
      if (!this.change(buffer, from, next, lsn)) return false;
    }
    cursor.at = next;
    this.parsed = null;
    return true;
  }

  /** A change without the begin of its transaction. It is emitted rather than lost. */
  private unannounced(): void {
    if (this.object.isLine) throw malformed('a change comes before its transaction begins');
    if (!this.inChanges) this.commitLsn = null;
    this.inChanges = true;
    this.begin(Infinity, UNKNOWN_XID, Date.now() * 1000);
  }

  private parse(buffer: Buffer, at: number, end: number): void {
    this.object.parse(buffer, at, end);
    this.parsed = buffer;
    this.parsedAt = at;
  }

  protected override emit(buffer: Buffer, at: number, end: number, lsn: Lsn): boolean {
    if (this.parsed !== buffer || this.parsedAt !== at) this.parse(buffer, at, end);
    const { json, object, rows } = this;
    const known = json.tableOf(object, buffer);
    if (!known.isCaptured) {
      this.counts.filtered++;
      this.advance(lsn);
      return true;
    }
    const mark = rows.out.length;
    const { lastOffset } = rows;
    if (!json.emit(known, object, buffer, lsn)) {
      json.block(known, object, buffer, null);
      return false;
    }
    const contradiction = this.contradiction(mark, lastOffset);
    if (contradiction !== null) {
      json.block(known, object, buffer, contradiction.nullColumn);
      return false;
    }
    this.advance(lsn);
    return true;
  }
}
