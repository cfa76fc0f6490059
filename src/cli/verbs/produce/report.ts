/**
 * Reports the result of each line. Memory does not grow with the number of lines, because consecutive failures with the
 * same reason are merged.
 */
interface DeliveredRange {
  count: number;
  first: number;
  last: number;
}

interface FailedLines {
  readonly from: number;
  to: number;
  readonly reason: string;
}

export class ProduceReport {
  private readonly partitions = new Map<number, DeliveredRange>();
  private readonly failures: FailedLines[] = [];
  private count = 0;

  /** @param name of the input, e.g. `storms.csv` */
  constructor(
    private readonly name: string,
    private readonly topic: string,
  ) {}

  get delivered(): number {
    return this.count;
  }
  get failed(): boolean {
    return this.failures.length > 0;
  }

  /** @param offset -1 if unknown (`acks=0`) */
  deliver(line: number, partition: number, offset: number): string {
    this.count++;
    const reached = this.partitions.get(partition);
    if (!reached) this.partitions.set(partition, { count: 1, first: offset, last: offset });
    else {
      reached.count++;
      reached.last = offset;
    }
    return `${this.name}:${line} partition ${partition} offset ${offset < 0 ? 'unknown' : offset}\n`;
  }

  fail(line: number, reason: string): void {
    const last = this.failures.at(-1);
    if (last?.reason === reason && last.to === line - 1) last.to = line;
    else this.failures.push({ from: line, to: line, reason });
  }

  /** One text per failure. Consecutive lines with the same reason share one: `storms.csv:7-9: …`. */
  failureTexts(): string[] {
    return [...this.failures]
      .sort((a, b) => a.from - b.from)
      .map(
        ({ from, to, reason }) => `${this.name}:${from === to ? from : `${from}-${to}`}: not delivered: ${reason}\n`,
      );
  }

  summary(): string {
    const where = [...this.partitions]
      .sort(([a], [b]) => a - b)
      .map(([partition, { count, first, last }]) => `partition ${partition}: ${count}${offsets(first, last)}`);
    const messages = `${this.count} message${this.count === 1 ? '' : 's'}`;
    return `${this.name}: ${messages} to topic ${this.topic}${where.length > 0 ? ` (${where.join('; ')})` : ''}\n`;
  }
}

function offsets(first: number, last: number): string {
  if (first < 0) return '';
  return first === last ? `, offset ${first}` : `, offsets ${first} to ${last}`;
}
