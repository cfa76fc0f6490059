/**
 * Values that Connect cannot represent: published as null with a warning, or an error where null is not allowed.
 */
import { ConnectError, type Logger } from '@millrace/sdk';
import { DIMENSIONS, NOT_FINITE, NULL_ITEM, TOO_MANY_DIMENSIONS, type Unrepresentable } from '../values/value-type';
import type { ConversionFailureMode } from '../config/event-config';
import type { ModelField, TableModel } from './table-model';

interface Explanation {
  readonly what: string;
  readonly cure: (isKey: boolean) => string;
}

const withoutColumn = (isKey: boolean): string =>
  isKey
    ? 'Name other columns for the key with message.key.columns, and leave this one out with column.exclude.list'
    : 'Make the column nullable, or leave it out with column.exclude.list';
const EXPLANATIONS: Readonly<Record<Unrepresentable, Explanation>> = {
  [NOT_FINITE]: {
    what: 'NaN or infinity, which decimal.handling.mode=precise cannot express',
    cure: () => 'Set decimal.handling.mode to string or double',
  },
  [DIMENSIONS]: {
    what: 'an array of more than one dimension, which an array of one item schema cannot express',
    cure: withoutColumn,
  },
  [NULL_ITEM]: {
    what: 'an array with a NULL among its elements, which arrays of its type cannot have in events',
    cure: withoutColumn,
  },
  [TOO_MANY_DIMENSIONS]: {
    what: 'a sparse vector of more than 32767 dimensions, which events number with 16 bits',
    cure: withoutColumn,
  },
};

export class UnrepresentableValues {
  private readonly warned = new Set<string>();
  private readonly failed = new Set<string>();

  /** @param mode `event.converting.failure.handling.mode` */
  constructor(
    private readonly logger: Logger,
    private readonly mode: ConversionFailureMode = 'fail',
  ) {}

  /**
   * Warns once per column with `warn`.
   * @returns what is published instead: null, or the default of a column that must not be null
   * @throws the error with `fail`, and where the column must not be null and has no default
   */
  undecodable(model: TableModel, cell: number, error: ConnectError): unknown {
    const field = fieldOf(model, cell);
    if (this.mode === 'fail' || field === undefined || (!field.optional && !field.hasDefault)) throw error;
    const column = `${model.schema}.${model.name}.${field.column}`;
    const value = field.optional ? null : field.fallback;
    if (this.mode === 'skip' || this.failed.has(column)) return value;
    this.failed.add(column);
    this.logger.warn(`${error.message} Such values are published as ${instead(field)}.`);
    return value;
  }

  /**
   * Warns once per column.
   * @returns what is published instead: null, or the default of a column that must not be null
   * @throws ConnectError `PG_NOT_EXPRESSIBLE` where the column must not be null and has no default
   */
  report(model: TableModel, cell: number, value: symbol): unknown {
    const field = fieldOf(model, cell);
    if (field === undefined) return null;
    const { what, cure } = EXPLANATIONS[value as Unrepresentable];
    const table = `${model.schema}.${model.name}`;
    if (!field.optional && !field.hasDefault)
      throw new ConnectError(
        `Invalid value: null used for required field: "${field.name}" of table ${table}: it holds ${what}. ${cure(model.key.includes(field))}.`,
        { code: 'PG_NOT_EXPRESSIBLE', place: { table, column: field.column } },
      );
    const column = `${table}.${field.column}`;
    const published = field.optional ? null : field.fallback;
    if (this.warned.has(column)) return published;
    this.warned.add(column);
    this.logger.warn(`Column ${column} holds ${what}: such values are published as ${instead(field)}.`);
    return published;
  }
}

function fieldOf({ row, key }: TableModel, cell: number): ModelField | undefined {
  return row.find((field) => field.cell === cell) ?? key.find((field) => field.cell === cell);
}

function instead(field: ModelField): string {
  return field.optional ? 'null' : "the column's default";
}
