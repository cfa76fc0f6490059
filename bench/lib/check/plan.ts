/** What `bench/check.ts` runs, in small sizes, and which figures it compares. */

export interface ComparedFigure {
  /** Of `HEADING: NAME`, as the benchmark prints them. */
  readonly match: RegExp;
  /** Of several numbers in the figure's text. (Default: 0) */
  readonly part?: number;
  readonly label: string;
  readonly better: 'less' | 'more';
  /** A figure has fallen when it is worse by more than this share in all pairs. */
  readonly tolerance: number;
}

export interface PlannedBench {
  /** For `--only`. */
  readonly name: string;
  /** File in bench/ without its ending. One that the working tree does not have is skipped. */
  readonly bench: string;
  readonly args: readonly string[];
  readonly timeoutSeconds: number;
  readonly figures: readonly ComparedFigure[];
}

const CPU = 0.1;
const MEMORY = 0.1;
const RATE = 0.15;
/** Of times of milliseconds, on a machine with other work. */
const TIME = 0.25;

const less = (match: RegExp, label: string, tolerance: number, part = 0): ComparedFigure => ({
  ...{ match, label, tolerance, part },
  better: 'less',
});
const more = (match: RegExp, label: string, tolerance: number): ComparedFigure => ({
  ...{ match, label, tolerance },
  better: 'more',
});

export const PLAN: readonly PlannedBench[] = [
  {
    name: 'stream',
    bench: 'postgres-stream',
    args: ['500000', '1000', 'none,schemas+lz4'],
    timeoutSeconds: 150,
    figures: ['none', 'schemas+lz4'].flatMap((variant) => {
      const of = (name: string): RegExp => new RegExp(`${variant.replace('+', '\\+')}: ${name}$`);
      return [
        more(of('worker, after the first rows arrived'), `stream, ${variant}: rows/s`, RATE),
        more(of('worker : pg_recvlogical'), `stream, ${variant}: share of pg_recvlogical`, RATE),
        less(of('worker, CPU per million rows'), `stream, ${variant}: CPU s a million rows`, CPU),
        less(of('worker, peak RSS'), `stream, ${variant}: peak RSS, MiB`, MEMORY),
      ];
    }),
  },
  {
    name: 'snapshot',
    bench: 'postgres-snapshot',
    args: ['500000', '1', '0', 'none,schemas'],
    timeoutSeconds: 150,
    figures: ['none', 'schemas'].flatMap((converter) => [
      more(new RegExp(`${converter}: 1 thread\\(s\\)$`), `snapshot, ${converter}: rows/s`, RATE),
      more(new RegExp(`${converter}: 1 thread\\(s\\) : COPY$`), `snapshot, ${converter}: share of COPY`, RATE),
      less(
        new RegExp(`${converter}: 1 thread\\(s\\), CPU per million rows$`),
        `snapshot, ${converter}: CPU s a million rows`,
        CPU,
      ),
    ]),
  },
  {
    name: 'tables',
    bench: 'postgres-tables',
    args: ['5000', '6', '1', '200'],
    timeoutSeconds: 150,
    figures: [
      ...['1', '200'].flatMap((tables) => [
        less(new RegExp(`: ${tables} table\\(s\\): CPU`), `${tables} table(s): CPU s a million rows`, CPU),
        less(new RegExp(`: ${tables} table\\(s\\): peak RSS`), `${tables} table(s): peak RSS, MiB`, MEMORY),
      ]),
      less(/: 200 tables : 1, CPU$/, '200 tables ÷ 1: CPU', CPU),
    ],
  },
  {
    name: 'latency',
    bench: 'postgres-latency',
    args: ['4', '1000'],
    timeoutSeconds: 90,
    figures: [
      less(/: 1,000 rows\/s, 1 per transaction$/, 'latency at 1,000 rows/s: p50', TIME),
      less(/: 1,000 rows\/s, 1 per transaction$/, 'latency at 1,000 rows/s: p99', 2 * TIME, 1),
    ],
  },
  {
    name: 'start',
    bench: 'first-record',
    args: ['3', 'sink'],
    timeoutSeconds: 90,
    figures: [
      less(/: first answer, ms$/, 'start: first answer, ms', TIME),
      less(/: first record, ms$/, 'start: first record, ms', TIME),
      less(/: CPU to the first record, ms$/, 'start: CPU ms to the first record', CPU),
    ],
  },
  {
    name: 'idle',
    bench: 'idle-worker',
    args: ['sink', '10'],
    timeoutSeconds: 90,
    figures: [
      less(/one file sink: RSS$/, 'idle, one file sink: RSS, MiB', MEMORY),
      less(/one file sink: CPU$/, 'idle, one file sink: CPU, %', TIME),
    ],
  },
  {
    name: 'sink',
    bench: 'file-sink',
    args: ['1000000'],
    timeoutSeconds: 90,
    figures: [
      more(/: records, after the first arrived$/, 'file sink: records/s', RATE),
      less(/: CPU per million records, with the start of the task$/, 'file sink: CPU s a million records', CPU),
    ],
  },
];
