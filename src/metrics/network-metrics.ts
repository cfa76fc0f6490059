/** What a Kafka client sends and receives, counted per request. */
import { Figure, type Cells } from './cells';
import { SampledStat, type SampleWindows } from './sampled-stat';

export class NetworkMetrics {
  readonly requests: Figure;
  readonly responses: Figure;
  readonly outgoingBytes: Figure;
  readonly incomingBytes: Figure;
  /** Bytes of each request. */
  readonly requestSizes: SampledStat;
  /** Bytes of each response. */
  readonly responseSizes: SampledStat;

  constructor(cells: Cells, windows: SampleWindows) {
    this.requests = new Figure(cells);
    this.responses = new Figure(cells);
    this.outgoingBytes = new Figure(cells);
    this.incomingBytes = new Figure(cells);
    this.requestSizes = new SampledStat(cells, windows);
    this.responseSizes = new SampledStat(cells, windows);
  }

  sent(bytes: number): void {
    this.requests.add();
    this.outgoingBytes.add(bytes);
    this.requestSizes.record(bytes);
  }

  received(bytes: number): void {
    this.responses.add();
    this.incomingBytes.add(bytes);
    this.responseSizes.record(bytes);
  }
}
