/** Prints previewed records: JSON and YAML as they come, a table at the end. */
import type { CliOutput } from '../io';
import { yamlDocument } from '../output/answer';
import { tableText } from '../output/layout';
import type { PreviewFormat } from './preview-options';
import { jsonLine, plainText, type ShownRecord } from './shown-record';

/** Columns of the terminal that a cell may take. */
const KEY_WIDTH = 30;
const OFFSET_WIDTH = 60;
const VALUE_WIDTH = 100;

export interface RecordPrinter {
  add(record: ShownRecord): void;
  /** Returns true if something is cut. */
  end(): boolean;
}

export function recordPrinter(format: PreviewFormat, out: CliOutput): RecordPrinter {
  if (format === 'table') return new TablePrinter(out);
  const write = (record: ShownRecord): string =>
    format === 'json' ? jsonLine(record) : yamlDocument(jsonLine(record));
  return { add: (record) => void out.write(write(record)), end: () => false };
}

class TablePrinter implements RecordPrinter {
  private readonly records: ShownRecord[] = [];
  private isCut = false;

  constructor(private readonly out: CliOutput) {}

  add(record: ShownRecord): void {
    this.records.push(record);
  }

  end(): boolean {
    const { records } = this;
    if (records.length === 0) return false;
    const hasHeaders = records.some(({ headers }) => headers.length > 0);
    const headings = ['TOPIC', 'PARTITION', 'KEY', 'VALUE', ...(hasHeaders ? ['HEADERS'] : []), 'SOURCE OFFSET'];
    const rows = records.map(({ topic, partition, key, value, headers, sourceOffset }) => [
      topic,
      partition === null ? '' : String(partition),
      this.cut(plainText(key), KEY_WIDTH),
      this.cut(plainText(value), VALUE_WIDTH),
      ...(hasHeaders
        ? [this.cut(headers.map((one) => `${one.key}=${plainText(one.value)}`).join(' '), KEY_WIDTH)]
        : []),
      this.cut(sourceOffset, OFFSET_WIDTH),
    ]);
    this.out.write(tableText(headings, rows));
    return this.isCut;
  }

  private cut(text: string, width: number): string {
    if (text.length <= width) return text;
    this.isCut = true;
    return `${text.slice(0, width - 1)}…`;
  }
}
