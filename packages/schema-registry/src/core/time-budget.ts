/** How long the work of one request may take: nothing else runs meanwhile. */
import { InvalidSchema } from '../registry-error';

/** Milliseconds. */
export type Clock = () => number;

export class TimeBudget {
  private readonly start: number;

  constructor(
    private readonly milliseconds: number,
    private readonly clock: Clock,
  ) {
    this.start = clock();
  }

  get isSpent(): boolean {
    return this.clock() - this.start > this.milliseconds;
  }

  /** Throws InvalidSchema. */
  check(work: string): void {
    if (this.isSpent) throw new InvalidSchema(`${work} takes more than ${this.milliseconds / 1000} seconds`);
  }
}
