/** One change: an object of the array `change` (format version 1), or a whole message (format version 2). */
import { microsAt, xidAt } from './document-header';
import { CLOSE_OBJECT, JsonCursor, malformed, OPEN_OBJECT } from './json-cursor';
import { JsonTuple } from './json-tuple';

type Action = 'insert' | 'update' | 'delete' | 'truncate' | 'message' | 'begin' | 'commit';

const ACTIONS: Readonly<Record<string, Action>> = {
  insert: 'insert',
  update: 'update',
  delete: 'delete',
  truncate: 'truncate',
  message: 'message',
  B: 'begin',
  C: 'commit',
  I: 'insert',
  U: 'update',
  D: 'delete',
  T: 'truncate',
  M: 'message',
};

type Bounds = [start: number, end: number];

/** Reused for every change. */
export class ChangeObject {
  action: Action = 'message';
  /** Format version 2. */
  isLine = false;
  xid: number | null = null;
  /** Bounds of the text. */
  readonly timestamp: Bounds = [0, 0];
  /** Bounds of the JSON strings. */
  readonly schema: Bounds = [0, 0];
  readonly table: Bounds = [0, 0];
  readonly newTuple = new JsonTuple();
  readonly oldTuple = new JsonTuple();
  /** Where the object ends. */
  end = 0;
  private readonly cursor = new JsonCursor();
  private readonly bounds = new Map<string, Bounds>();
  private readonly seen = new Set<string>();

  /** @param at begin of the object. Throws ConnectError `PG_PROTOCOL`. */
  parse(buffer: Buffer, at: number, end: number): void {
    const { cursor, seen } = this;
    let action: Action | undefined;
    seen.clear();
    this.xid = null;
    cursor.open(buffer, at, end);
    cursor.expect(OPEN_OBJECT);
    do {
      const member = cursor.member();
      // wal2json does not escape names of types, so a second member may have come out of one.
      if (seen.has(member)) throw malformed(`it has two members "${member}"`);
      seen.add(member);
      if (member === 'kind' || member === 'action') {
        cursor.string();
        action = ACTIONS[cursor.text()];
        this.isLine = member === 'action';
      } else if (member === 'oldkeys') this.oldKeys();
      else {
        cursor.value();
        this.set(member, cursor.start, cursor.stop);
        if (member === 'xid') this.xid = xidAt(buffer, cursor.start, cursor.stop);
      }
    } while (cursor.more(CLOSE_OBJECT));
    this.end = cursor.at;
    if (action === undefined) throw malformed('a change is of an unknown kind');
    this.action = action;
    this.copy('schema', this.schema);
    this.copy('table', this.table);
    this.copy('timestamp', this.timestamp);
  }

  /** Commit time since 1970; 0 if the message does not say. */
  micros(buffer: Buffer): number {
    const [at, end] = this.timestamp;
    return at === end ? 0 : microsAt(buffer, at + 1, end - 1);
  }

  /** Sets the bounds of both tuples' columns, in the buffer that was parsed. */
  readTuples(buffer: Buffer): void {
    const { seen, newTuple, oldTuple } = this;
    newTuple.clear();
    oldTuple.clear();
    if (this.isLine) {
      if (seen.has('columns')) newTuple.readObjects(buffer, this.of('columns'));
      if (seen.has('identity')) oldTuple.readObjects(buffer, this.of('identity'));
      return;
    }
    if (seen.has('columnnames'))
      newTuple.readArrays(buffer, this.of('columnnames'), this.of('columntypes'), this.of('columnvalues'));
    if (seen.has('keynames'))
      oldTuple.readArrays(buffer, this.of('keynames'), this.of('keytypes'), this.of('keyvalues'));
  }

  private oldKeys(): void {
    const { cursor, seen } = this;
    cursor.expect(OPEN_OBJECT);
    do {
      const member = cursor.member();
      if (seen.has(member)) throw malformed(`it has two members "${member}"`);
      seen.add(member);
      cursor.value();
      this.set(member, cursor.start, cursor.stop);
    } while (cursor.more(CLOSE_OBJECT));
  }

  private set(member: string, start: number, stop: number): void {
    const bounds = this.bounds.get(member);
    if (bounds !== undefined) {
      bounds[0] = start;
      bounds[1] = stop;
      // A hostile document may have any number of members.
    } else if (this.bounds.size < 64) this.bounds.set(member, [start, stop]);
  }

  private of(member: string): Bounds {
    return this.seen.has(member) ? (this.bounds.get(member) ?? [0, 0]) : [0, 0];
  }

  private copy(member: string, to: Bounds): void {
    [to[0], to[1]] = this.of(member);
  }
}
