/**
 * The numbers 0, 1, 2 … as they were delivered. A task that starts again repeats numbers from an earlier one on, each
 * followed by its successor. A number that follows a smaller one and is not its successor was sent by another task, or
 * those between are lost.
 */
export class DeliveredOrder {
  readonly seen = new Set<number>();
  repeated = 0;
  /** "a → b" of each two neighbours between which numbers are missing. */
  readonly jumps: string[] = [];
  private last = -1;

  add(number: number): void {
    if (number > this.last + 1) this.jumps.push(`${this.last} → ${number}`);
    if (this.seen.has(number)) this.repeated++;
    this.seen.add(number);
    this.last = number;
  }

  /** Those below `end` that were not delivered. */
  lost(end: number): number[] {
    return Array.from({ length: end }, (_, number) => number).filter((number) => !this.seen.has(number));
  }
}
