/** Settings of the post-processor that reads columns again (cdc-postgres §2.10). */
import type { ConnectorConfig } from '@millrace/sdk';
import { complainOfAlias } from './problem';
import { KEY } from './definitions';
import { PatternList, patternProblem, splitList } from './patterns';

export interface ReselectConfig {
  /** Of `schema.table:column`; null: all. */
  readonly include: PatternList | null;
  readonly exclude: PatternList | null;
  /** Columns whose unchanged large value was not sent. */
  readonly unavailable: boolean;
  /** Columns that are null. */
  readonly nulls: boolean;
  /** Find the row by the key of the record instead of the primary key. */
  readonly byEventKey: boolean;
  /** A row that is gone, or a query that fails, fails the task. */
  readonly fails: boolean;
}

const CLASS = 'io.debezium.processors.reselect.ReselectColumnsPostProcessor';
const INCLUDE = 'reselect.columns.include.list';
const EXCLUDE = 'reselect.columns.exclude.list';
const UNAVAILABLE = 'reselect.unavailable.values';
const NULLS = 'reselect.null.values';
const BY_EVENT_KEY = 'reselect.use.event.key';
const ERRORS = 'reselect.error.handling.mode';
const CACHE = 'reselect.cache.enabled';

/** Whether the lists of columns contain the column of a table. */
export function reselects(
  { include, exclude }: Pick<ReselectConfig, 'include' | 'exclude'>,
  { schema, name }: { readonly schema: string; readonly name: string },
  column: string,
): boolean {
  const path = `${schema}.${name}:${column}`;
  return include === null ? !(exclude?.matches(path) ?? false) : include.matches(path);
}

/** Null: no post-processor. Call after `checkReselect`. */
export function reselectConfig(values: ConnectorConfig): ReselectConfig | null {
  const [name] = splitList(values[KEY.postProcessors] ?? '');
  if (name === undefined) return null;
  const text = (key: string): string => values[`${name}.${key}`]?.trim() ?? '';
  const patterns = (key: string): PatternList | null => (text(key) === '' ? null : PatternList.parse(text(key)));
  return {
    include: patterns(INCLUDE),
    exclude: patterns(EXCLUDE),
    unavailable: text(UNAVAILABLE).toLowerCase() !== 'false',
    nulls: text(NULLS).toLowerCase() !== 'false',
    byEventKey: text(BY_EVENT_KEY).toLowerCase() === 'true',
    fails: text(ERRORS).toLowerCase() === 'fail',
  };
}

export function checkReselect(values: ConnectorConfig, complain: (name: string, message: string) => void): void {
  const [name, ...more] = splitList(values[KEY.postProcessors] ?? '');
  if (name === undefined) return;
  if (more.length > 0) complain(KEY.postProcessors, 'only one post-processor is supported');
  const text = (key: string): string => values[`${name}.${key}`]?.trim() ?? '';
  if (text('type') !== CLASS) {
    const at = { list: KEY.postProcessors, key: `${name}.type` };
    complainOfAlias(values, at, `only ${CLASS} is supported, but it is "${text('type')}"`, complain);
  }
  for (const key of [INCLUDE, EXCLUDE]) {
    const problem = patternProblem(text(key));
    if (problem !== null) complain(`${name}.${key}`, problem);
  }
  if (text(INCLUDE) !== '' && text(EXCLUDE) !== '') {
    complain(`${name}.${EXCLUDE}`, `"${name}.${INCLUDE}" is already specified`);
  }
  for (const key of [UNAVAILABLE, NULLS, BY_EVENT_KEY]) {
    if (!/^(?:true|false)?$/i.test(text(key))) complain(`${name}.${key}`, "Either 'true' or 'false' is expected");
  }
  if (!/^(?:warn|fail)?$/i.test(text(ERRORS))) complain(`${name}.${ERRORS}`, 'Value must be one of warn, fail');
  if (!/^(?:false)?$/i.test(text(CACHE))) complain(`${name}.${CACHE}`, 'values are not cached here; remove it');
}
