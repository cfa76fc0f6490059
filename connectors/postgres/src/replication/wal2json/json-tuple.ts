/** The columns of a tuple: where name, declared type and value of each are. Reused for every row. */
import { CLOSE_ARRAY, CLOSE_OBJECT, JsonCursor, malformed, OPEN_ARRAY, OPEN_OBJECT } from './json-cursor';

export class JsonTuple {
  count = 0;
  readonly nameAt: number[] = [];
  readonly nameEnd: number[] = [];
  /** Equal bounds: the message does not say. */
  readonly typeAt: number[] = [];
  readonly typeEnd: number[] = [];
  readonly valueAt: number[] = [];
  readonly valueEnd: number[] = [];
  private readonly cursor = new JsonCursor();

  clear(): void {
    this.count = 0;
  }

  /** Three arrays; that of types may be empty. Bounds are those of the arrays. */
  readArrays(
    buffer: Buffer,
    names: readonly [number, number],
    types: readonly [number, number],
    values: readonly [number, number],
  ): void {
    this.count = this.items(buffer, names, this.nameAt, this.nameEnd, false);
    const typed = this.items(buffer, types, this.typeAt, this.typeEnd, true);
    if (typed === 0) for (let i = 0; i < this.count; i++) this.typeAt[i] = this.typeEnd[i] = 0;
    const valued = this.items(buffer, values, this.valueAt, this.valueEnd, false);
    if (valued !== this.count || (typed !== 0 && typed !== this.count))
      throw malformed(`${this.count} columns have ${typed} types and ${valued} values`);
  }

  private items(
    buffer: Buffer,
    [start, end]: readonly [number, number],
    at: number[],
    stop: number[],
    areTypes: boolean,
  ): number {
    if (start === end) return 0;
    const { cursor } = this;
    cursor.open(buffer, start, end);
    if (cursor.empty(OPEN_ARRAY, CLOSE_ARRAY)) return 0;
    let count = 0;
    do {
      if (areTypes) cursor.typeName();
      else cursor.value();
      at[count] = cursor.start;
      stop[count] = cursor.stop;
      count++;
    } while (cursor.more(CLOSE_ARRAY));
    return count;
  }

  /** An array of `{"name": …, "type": …, "value": …}`. */
  readObjects(buffer: Buffer, [start, end]: readonly [number, number]): void {
    const { cursor } = this;
    this.count = 0;
    cursor.open(buffer, start, end);
    if (cursor.empty(OPEN_ARRAY, CLOSE_ARRAY)) return;
    do {
      this.readObject();
    } while (cursor.more(CLOSE_ARRAY));
  }

  private readObject(): void {
    const { cursor, count } = this;
    this.nameAt[count] = this.valueAt[count] = this.typeAt[count] = this.typeEnd[count] = 0;
    cursor.expect(OPEN_OBJECT);
    do {
      const member = cursor.member();
      if (member === 'type') cursor.typeName();
      else cursor.value();
      const { start, stop } = cursor;
      if (member === 'name') [this.nameAt[count], this.nameEnd[count]] = [start, stop];
      else if (member === 'type') [this.typeAt[count], this.typeEnd[count]] = [start, stop];
      else if (member === 'value') [this.valueAt[count], this.valueEnd[count]] = [start, stop];
    } while (cursor.more(CLOSE_OBJECT));
    if (this.nameAt[count] === 0 || this.valueAt[count] === 0) throw malformed('a column has no name or no value');
    this.count++;
  }
}
