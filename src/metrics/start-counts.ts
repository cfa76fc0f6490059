/** Starts of connectors, or of tasks. Source: connect-runtime §9 "connect-worker-metrics". */
import { Cells, Figure } from './cells';
import { Outcomes, type SampleWindows } from './sampled-stat';

export class StartCounts {
  readonly succeeded: Figure;
  readonly failed: Figure;
  readonly outcomes: Outcomes;

  constructor(cells: Cells, windows: SampleWindows) {
    this.succeeded = new Figure(cells);
    this.failed = new Figure(cells);
    this.outcomes = new Outcomes(cells, windows);
  }

  static create(windows: SampleWindows): StartCounts {
    return new StartCounts(new Cells(Cells.memoryFor((cells) => new StartCounts(cells, windows))), windows);
  }

  get attempts(): number {
    return this.succeeded.value + this.failed.value;
  }

  record(success: boolean): void {
    (success ? this.succeeded : this.failed).add();
    this.outcomes.record(success);
  }
}
