/** Checks that need only the connector config, without a connection (cdc-postgres §1.8). */
import type { ConfigProblem, ConnectorConfig } from '@millrace/sdk';
import { canonical, type CanonicalConfig } from './aliases';
import type { Definition } from './definition';
import { DEFINITIONS, KEY } from './definitions';
import { checkColumnConverters } from './column-converter-config';
import { checkColumnMasks } from './column-mask-config';
import { checkSnapshot } from './snapshot-config';
import { checkMetrics } from './metrics-config';
import { checkNotifications } from './notification-config';
import { checkParallel } from './parallel-config';
import { patternProblem, patternsProblem } from './patterns';
import { invalid } from './problem';
import { checkTopicNaming } from './topic-naming-config';
import { checkReplicaIdentities } from './replica-identities';
import { checkReselect } from './reselect-config';
import { checkSignals } from './signal-config';
import { refusedKeys } from './unsupported';

const LOGICAL_NAME = /^[A-Za-z0-9._-]+$/;
/** Host names, but also IPv6 addresses and socket directories, which Debezium refuses. */
const HOST_NAME = /^(?:[A-Za-z0-9._-]+|[0-9A-Fa-f:.%[\]]+|\/.*)$/;
const SLOT_NAME = /^[a-z0-9_]{1,63}$/;
/** Shown in Debezium's error text only. It is not used for matching, because it takes cubic time. */
const KEY_COLUMNS = String.raw`^\s*([^:]+):([^:,]+(,[^:,]+)*)\s*$`;
const BAD_CHARACTERS = 'has invalid format (only the underscore, hyphen, dot and alphanumeric characters are allowed)';

/** Include and exclude lists that are mutually exclusive. */
const EXCLUSIVE = [
  [KEY.schemaIncludeList, KEY.schemaExcludeList],
  [KEY.tableIncludeList, KEY.tableExcludeList],
  [KEY.columnIncludeList, KEY.columnExcludeList],
  [KEY.messagePrefixIncludeList, KEY.messagePrefixExcludeList],
] as const;

interface CheckedConfig extends CanonicalConfig {
  readonly problems: readonly ConfigProblem[];
}

export function checkConfig(config: ConnectorConfig): CheckedConfig {
  const read = canonical(config);
  const problems: ConfigProblem[] = [...read.problems, ...refusedKeys(config)];
  const complain = (name: string, message: string): void => {
    problems.push(invalid(read.given.get(name) ?? name, message));
  };
  for (const definition of DEFINITIONS) {
    const message = valueProblem(definition, read.values[definition.name]);
    if (message !== null) complain(definition.name, message);
  }
  for (const [include, exclude] of EXCLUSIVE) {
    if (isSet(read.values[include]) && isSet(read.values[exclude]))
      complain(exclude, `"${include}" is already specified`);
  }
  for (const [name, pattern] of [
    [KEY.topicPrefix, LOGICAL_NAME],
    [KEY.databaseHostname, HOST_NAME],
  ] as const) {
    const value = read.values[name];
    if (isSet(value) && !pattern.test(value)) complain(name, `${value} ${BAD_CHARACTERS}`);
  }
  const slot = read.values[KEY.slotName];
  if (slot !== undefined && !SLOT_NAME.test(slot)) {
    complain(
      KEY.slotName,
      'Valid replication slot name must contain only digits, lowercase characters and underscores with length <= 63',
    );
  }
  checkColumnConverters(read.values, complain);
  checkColumnMasks(read.values, complain);
  checkSnapshot(read.values, complain);
  checkTopicNaming(read.values, complain);
  checkQueue(read.values, complain);
  checkNotifications(read.values, complain);
  checkSignals(read.values, complain);
  checkReplicaIdentities(read.values[KEY.replicaIdentityAutosetValues], complain);
  checkParallel(read.values, complain);
  checkMetrics(read.values, complain);
  checkReselect(read.values, complain);
  const keys = keyColumnsProblem(read.values[KEY.messageKeyColumns] ?? '');
  if (keys !== null) complain(KEY.messageKeyColumns, keys);
  const binary = binaryParam(read.values[KEY.slotStreamParams]);
  if (binary !== undefined)
    complain(
      KEY.slotStreamParams,
      `${binary} makes the server send values in binary form, which is not supported; remove it`,
    );
  const skipped = read.values[KEY.skippedOperations];
  if (skipped !== undefined && skipped.split(',').some((one) => !/^(?:[cudt]|none)?$/.test(one.trim())))
    complain(KEY.skippedOperations, 'Invalid operation');
  return { ...read, problems };
}

function keyColumnsProblem(text: string): string | null {
  for (const part of text.split(';').filter((one) => one.trim() !== '')) {
    const [table = '', columns = '', ...more] = part.split(':');
    if (table === '' || more.length > 0 || columns.split(',').includes(''))
      return `${text} has an invalid format (expecting '${KEY_COLUMNS}')`;
    const reason = patternsProblem([table.trim()]);
    if (reason !== null) return `A valid regular expression is expected before each colon, but ${reason}`;
  }
  return null;
}

/** The parameter that requests values in binary form. Only the text form is decoded. */
function binaryParam(params = ''): string | undefined {
  const binary = /^binary(?:\s*=\s*(?:true|on|1)?)?$/i;
  return params
    .split(';')
    .map((param) => param.trim())
    .find((param) => binary.test(param));
}

function isSet(value: string | undefined): value is string {
  return value !== undefined && value.trim() !== '';
}

function valueProblem(definition: Definition, value: string | undefined): string | null {
  const { constraint } = definition;
  if (value === undefined || value.trim() === '') {
    if (constraint?.kind === 'required') return 'A value is required';
    // An empty value is often an unset variable; falling back to the default could connect without TLS.
    if (value !== undefined && definition.name === KEY.databaseSslmode) return oneOfProblem(constraint, '');
    if (value === undefined || definition.type === 'STRING' || definition.type === 'LIST') return null;
  }
  if (value === undefined) return null;
  const text = value.trim();
  switch (definition.type) {
    case 'BOOLEAN':
      return /^(true|false)$/i.test(text) ? null : "Either 'true' or 'false' is expected";
    case 'INT':
    case 'SHORT':
      return numberProblem(text, definition, 'An integer is expected', 2147483647);
    case 'LONG':
      return numberProblem(text, definition, 'A long value is expected', Number.MAX_SAFE_INTEGER);
  }
  return constraint?.kind === 'patterns' ? patternProblem(value) : oneOfProblem(constraint, text);
}

function oneOfProblem(constraint: Definition['constraint'], text: string): string | null {
  return constraint?.kind !== 'oneOf' || constraint.values.includes(text.toLowerCase())
    ? null
    : `Value must be one of ${constraint.values.join(', ')}`;
}

function numberProblem(text: string, definition: Definition, message: string, max: number): string | null {
  if (!/^[+-]?\d+$/.test(text)) return message;
  const number = Number(text);
  if (Math.abs(number) > max) return message;
  if (definition.name === KEY.maxQueueSize && number <= 0) return 'A positive queue size is required';
  // pg throws for larger ports while it connects, where the error cannot be caught.
  if (definition.name === KEY.databasePort && number > 65_535) return 'A port from 1 to 65535 is expected';
  if (definition.constraint?.kind === 'positive' && number <= 0)
    return 'A positive, non-zero integer value is expected';
  if (definition.constraint?.kind === 'nonNegative' && number < 0) return 'An non-negative integer is expected';
  return null;
}

function checkQueue(values: ConnectorConfig, complain: (name: string, message: string) => void): void {
  const size = Number(values[KEY.maxQueueSize] ?? 8192);
  const batch = Number(values[KEY.maxBatchSize] ?? 2048);
  if (size > 0 && batch > 0 && size <= batch) complain(KEY.maxQueueSize, 'Must be larger than the maximum batch size');
}
