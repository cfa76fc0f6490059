/**
 * The last hour of this worker: its process, its connectors' tasks, and the amounts in their panels. Every 10 s it
 * reads counters that exist anyway; nothing is measured per record.
 */
import { startTimer, type ConnectorConsole } from '@millrace/sdk';
import type { TimedReading } from '@millrace/texts/worker-rates';
import type { WorkerFigures } from '../../../cluster/entities';
import type { Herder } from '../../../cluster/herder';
import { ConnectorPlugins } from '../../../cluster/running/connector-plugins';
import { ifKnown } from '../../routes/entities';
import type { ConsoleContext } from '../console-context';
import { publishedSeries } from '../panels';
import { readReport, workerReport, type TaskReport } from '../../reports/worker-report';
import { SampleHistory, STEP_MS, type Samples } from './sample-history';
import { chartedFigures, connectorSamples, processSamples, type ChartedFigure } from './samples';

/** After the beginning of a step, so that a timer that fires a little early is not of the step before. */
const DELAY_MS = 1_000;
/** By then, the other workers have their samples, unless their clocks differ by more. */
const ALL_SAMPLED_MS = 3_000;

/** The only subject of the history of the process. */
export const PROCESS = 'process';

export type RecorderContext = Pick<ConsoleContext, 'herderIfReady' | 'registry' | 'millraceVersion' | 'logger'>;

export class HistoryRecorder {
  readonly process = new SampleHistory();
  readonly connectors = new SampleHistory();
  private readonly plugins: ConnectorPlugins;
  private before: TimedReading<TaskReport> | undefined;
  private timer: NodeJS.Timeout | null = null;

  constructor(private readonly context: RecorderContext) {
    this.plugins = new ConnectorPlugins(context.registry);
  }

  start(): void {
    const wait = STEP_MS - ((Date.now() - DELAY_MS) % STEP_MS);
    this.timer = startTimer(() => {
      this.sample(Date.now(), performance.now());
      this.start();
    }, wait).unref();
  }

  stop(): void {
    if (this.timer) clearTimeout(this.timer);
  }

  /** The newest step that all workers have sampled, as its time. @param now milliseconds since the epoch */
  end(now: number): number {
    const step = Math.floor((now - ALL_SAMPLED_MS) / STEP_MS) * STEP_MS;
    return Math.min(this.process.end || step, step);
  }

  /** @param at milliseconds since the epoch; `monotonic`: of the same moment */
  sample(at: number, monotonic: number): void {
    const herder = this.context.herderIfReady();
    // Too soon for a rate: the timer has fired early.
    if (!herder || (this.before && monotonic - this.before.at < DELAY_MS)) return;
    try {
      this.record(herder, at, monotonic);
    } catch (error) {
      // A gap in the charts.
      this.context.logger.debug('The counters of this worker could not be read', { err: error });
    }
  }

  private record(herder: Herder, at: number, monotonic: number): void {
    const figures = herder.figures();
    const report = workerReport(this.context.millraceVersion, figures, { status: 'healthy', message: '' }, at);
    const reading = { at: monotonic, figures: readReport(report) ?? undefined };
    const samples = new Map<string, Samples>();
    for (const [connector, measures] of connectorSamples(reading, this.before))
      samples.set(connector, { ...measures, ...panelSamples(this.figuresOf(herder, connector, figures, at)) });
    this.connectors.record(at, samples);
    this.process.record(at, new Map([[PROCESS, processSamples(reading, this.before)]]));
    this.before = reading;
  }

  /** The amounts that the panels of the connector's plugin declare, as its tasks here publish them. */
  figuresOf(
    herder: Herder,
    connector: string,
    figures: WorkerFigures = herder.figures(),
    at = Date.now(),
  ): readonly ChartedFigure[] {
    const declared = this.declared(herder, connector);
    if (declared.panels === undefined) return [];
    return chartedFigures(declared, publishedSeries(figures, connector, declared, at));
  }

  private declared(herder: Herder, connector: string): ConnectorConsole {
    const record = ifKnown(() => herder.reads.record(connector));
    return (record && this.plugins.describe(record.config)?.console) ?? {};
  }
}

function panelSamples(figures: readonly ChartedFigure[]): Samples {
  return Object.fromEntries(figures.map(({ measure, value }) => [measure, value]));
}
