/** Options of commands that read records. */
import { InvalidArgumentError } from 'commander';
import { type OptionSpec, wholeNumber } from '@millrace/cli';

/** Where a command begins to read a topic. */
export type StartPosition =
  { readonly at: 'beginning' | 'end' } | { readonly at: 'offset' | 'last' | 'time'; readonly value: number };

/** @example parseStart('beginning'), parseStart('42'), parseStart('-10'), parseStart('2026-01-31T12:00:00Z') */
function parseStart(text: string): StartPosition {
  if (text === 'beginning' || text === 'end') return { at: text };
  if (/^\d{1,15}$/.test(text)) return { at: 'offset', value: Number(text) };
  if (/^-\d{1,15}$/.test(text)) return { at: 'last', value: -Number(text) };
  const time = /^\d{4}-\d{2}-\d{2}/.test(text) ? Date.parse(text) : NaN;
  if (Number.isNaN(time))
    throw new InvalidArgumentError('It must be beginning, end, an offset, -N for the last N, or a time in ISO format.');
  return { at: 'time', value: time };
}

const CONVERTERS = 'json, string, bytes, avro, json-schema, protobuf, or a class';

export const READ_OPTIONS: readonly OptionSpec[] = [
  {
    flags: '--from <position>',
    description: 'beginning, end, an offset, -N for the last N of each partition, or a time (2026-01-31T12:00:00Z)',
    default: { at: 'beginning' },
    defaultText: 'beginning',
    parse: parseStart,
  },
  { flags: '-n, --count <number>', description: 'stop after this many records', parse: wholeNumber(1, 1e12) },
  { flags: '--partition <number>', description: 'read only this partition', parse: wholeNumber(0, 2 ** 31 - 1) },
  {
    flags: '--key-converter <class>',
    description: `${CONVERTERS} (default: of the worker, where it fits)`,
  },
  {
    flags: '--value-converter <class>',
    description: `${CONVERTERS} (default: of the worker, where it fits)`,
  },
  {
    flags: '--converters-of <connector>',
    description: 'read records with the converters of this connector',
    completes: 'connectors',
  },
  { flags: '--schema-registry <url>', description: 'the schema registry of the converters' },
];
