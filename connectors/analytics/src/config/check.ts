/** Validates a configuration without requests to the service. Sources: analytics-sink §1. */
import type { ConfigProblem, ConnectorConfig, WorkerSettings } from '@millrace/sdk';
import { findMapping, parseMappings, type ParsedMappings } from '../mapping/topic-mapping';
import { canonicalConfig } from './canonical';
import {
  checkEndpoint,
  isLoopback,
  ingestionUrlOf,
  mayReceiveIdentityToken,
  queryUrlOf,
  trustOf,
  type Trust,
} from './endpoints';
import { DEAD_LETTERS_PREFIX, DEFINITIONS, KEY, listOf, type Definition } from './definitions';

type Value = string | number | boolean | null;

interface Checked {
  /** By neutral name, with defaults. Meaningful only without problems. */
  readonly values: ReadonlyMap<string, Value>;
  readonly urls: { readonly ingestion: string; readonly query: string };
  readonly mappings: ParsedMappings;
  /** Under the names in the user's configuration. */
  readonly problems: readonly ConfigProblem[];
  readonly warnings: readonly string[];
}

export function checkConfig(config: ConnectorConfig, worker: WorkerSettings = {}): Checked {
  const { values: texts, given, problems: namingProblems, warnings } = canonicalConfig(config);
  const problems: ConfigProblem[] = [...namingProblems];
  const report = (name: string, message: string): void => {
    problems.push({ key: given.get(name) ?? name, message });
  };
  const values = new Map<string, Value>();
  for (const definition of DEFINITIONS) {
    const text = texts[definition.name]?.trim();
    const parsed = text === undefined ? { value: definition.default } : parseValue(definition, text);
    const shown = definition.type === 'PASSWORD' ? '[hidden]' : text;
    if ('problem' in parsed)
      report(definition.name, `Invalid value ${shown} for configuration ${definition.name}: ${parsed.problem}`);
    else values.set(definition.name, parsed.value);
    if (definition.required && !text)
      report(definition.name, `Missing required configuration "${definition.name}" which has no default value.`);
  }
  const trust = trustOf(worker);
  const urls = checkUrls(values, trust, report);
  const mappings = parseMappings(String(values.get(KEY.topicsMapping) ?? '[]'));
  if (texts[KEY.topicsMapping]) for (const problem of mappings.problems) report(KEY.topicsMapping, problem);
  const unused = checkTopics(config, mappings, report);
  checkLogin(values, urls, trust, report);
  checkDeadLetters(values, texts, report);
  checkMetadata(values, mappings, report);
  return { values, urls, mappings, problems, warnings: [...warnings, ...mappings.warnings, ...unused] };
}

type Report = (name: string, message: string) => void;
type Parsed = { readonly value: Value } | { readonly problem: string };

function parseValue({ type, default: fallback, constraint }: Definition, text: string): Parsed {
  let value: string | number | boolean = text;
  if (type === 'INT' || type === 'LONG') {
    if (!/^[+-]?[0-9]+$/.test(text) || !Number.isSafeInteger(Number(text)))
      return { problem: `Not a number of type ${type}` };
    value = Number(text);
  } else if (type === 'DOUBLE') {
    if (text === '' || !Number.isFinite(Number(text))) return { problem: 'Not a number of type DOUBLE' };
    value = Number(text);
  } else if (type === 'BOOLEAN') {
    if (!/^(true|false)$/i.test(text)) return { problem: 'Expected value to be either true or false' };
    value = text.toLowerCase() === 'true';
  } else if (text === '') return { value: fallback };
  const problem = constraint?.(value) ?? null;
  return problem === null ? { value } : { problem };
}

function checkUrls(values: ReadonlyMap<string, Value>, trust: Trust, report: Report): Checked['urls'] {
  const url = (name: string, derived = ''): string => {
    const text = derived || String(values.get(name) ?? '');
    if (text === '') return '';
    const checked = checkEndpoint(text, trust);
    if ('url' in checked) return checked.url;
    const value = derived === '' ? text : `${text}, derived from the other URL,`;
    report(name, `Invalid value ${value} for configuration ${name}: ${checked.problem}`);
    return '';
  };
  const ingestion = url(KEY.ingestionUrl);
  const query = url(KEY.queryUrl);
  if (!values.get(KEY.ingestionUrl) && !values.get(KEY.queryUrl))
    report(KEY.ingestionUrl, `Missing required configuration "${KEY.ingestionUrl}" which has no default value.`);
  if (query !== queryUrlOf(query) && ingestion !== '' && ingestion === queryUrlOf(ingestion))
    report(
      KEY.ingestionUrl,
      'The ingestion and the query URL are interchanged: the host of the ingestion URL begins with "ingest-".',
    );
  return {
    ingestion: ingestion || (query && url(KEY.ingestionUrl, ingestionUrlOf(query))),
    query: query || (ingestion && url(KEY.queryUrl, queryUrlOf(ingestion))),
  };
}

/** Warnings about mappings that no topic uses. */
function checkTopics(config: ConnectorConfig, { mappings, problems }: ParsedMappings, report: Report): string[] {
  const topics = listOf(config.topics ?? '');
  if (problems.length > 0 || topics.length === 0) return [];
  for (const topic of topics)
    if (!findMapping(mappings, topic))
      report(
        KEY.topicsMapping,
        `Sink has no ingestion props mapped for the topic: ${topic}. please check your configuration.`,
      );
  return mappings
    .filter(({ topic }) => topic !== '*' && !topics.includes(topic))
    .map(({ topic }) => `The mapping of topic ${topic} is not used: "topics" does not name it`);
}

function checkLogin(values: ReadonlyMap<string, Value>, urls: Checked['urls'], trust: Trust, report: Report): void {
  const url = urls.ingestion;
  const strategy = String(values.get(KEY.authStrategy) ?? '').toLowerCase();
  const provider = String(values.get(KEY.authEndpoint) ?? '');
  if (provider !== '' && !isSafe(provider, trust)) {
    const shown = provider.replace(/\/\/[^/]*@/, '//[hidden]@');
    const more = /[?#@]/.test(provider) ? ' without user, query and fragment' : '';
    report(
      KEY.authEndpoint,
      `Invalid value ${shown} for configuration idp.auth.endpoint: it is not an HTTPS URL${more}`,
    );
  }
  // An invalid value has no entry. It is reported already, so it is not missing.
  const missing = (names: readonly string[]): string[] => names.filter((name) => values.has(name) && !values.get(name));
  if (strategy === 'application') {
    const absent = missing([KEY.authAuthority, KEY.authAppId, KEY.authAppKey]);
    if (absent.length > 0)
      report(
        absent[0] as string,
        `Authentication strategy application needs ${absent.map((name) => `"${name}"`).join(', ')}.`,
      );
  } else if (strategy === 'az_dev_token') {
    if (missing([KEY.authAccessToken]).length > 0)
      report(KEY.authAccessToken, 'Authentication strategy az_dev_token needs "idp.auth.accesstoken".');
  } else if (strategy === 'none') {
    if (url !== '' && !isLoopback(new URL(url).hostname))
      report(KEY.authStrategy, 'Authentication strategy none is only for an emulator on this machine.');
  } else if (strategy.endsWith('_identity')) {
    // Otherwise every user who registers connectors could use the worker's identity for any resource.
    if (values.get(KEY.authScope))
      report(KEY.authScope, `Authentication strategy ${strategy} is only for the cluster: remove "idp.auth.scope".`);
    const untrusted = [urls.ingestion, urls.query].find((text) => text !== '' && !mayReceiveIdentityToken(text, trust));
    if (untrusted !== undefined)
      report(
        KEY.authStrategy,
        `Authentication strategy ${strategy} sends tokens of this machine only to HTTPS endpoints of the service, not to ` +
          `${untrusted}, unless the worker setting "analytics.allow.insecure.endpoints" is true.`,
      );
  }
}

/** Whether a secret may be sent there. */
function isSafe(text: string, { insecure }: Trust): boolean {
  const url = URL.canParse(text) ? new URL(text) : null;
  // A login path appended after a query or a fragment would become part of it.
  if (url === null || /[?#]/.test(text) || url.username || url.password) return false;
  return url.protocol === 'https:' || (url.protocol === 'http:' && (insecure || isLoopback(url.hostname)));
}

/** The producer's own values. It validates its other keys when the task starts. */
const SECURITY_PROTOCOLS = ['PLAINTEXT', 'SASL_PLAINTEXT', 'SASL_SSL', 'SSL'];

function checkDeadLetters(
  values: ReadonlyMap<string, Value>,
  texts: Readonly<Record<string, string>>,
  report: Report,
): void {
  const security = `${DEAD_LETTERS_PREFIX}security.protocol`;
  const protocol = texts[security]?.trim();
  if (protocol !== undefined && !SECURITY_PROTOCOLS.includes(protocol.toUpperCase()))
    report(
      security,
      `Invalid value ${protocol} for configuration ${security}: String must be one of (case insensitive): ` +
        SECURITY_PROTOCOLS.join(', '),
    );
  const [servers, topic] = [KEY.deadLettersBootstrapServers, KEY.deadLettersTopicName];
  if (Boolean(values.get(servers)) === Boolean(values.get(topic))) return;
  report(
    values.get(servers) ? topic : servers,
    'To enable Miscellaneous Dead-Letter Queue configuration please configure both misc.deadletterqueue.bootstrap.servers and misc.deadletterqueue.topic.name configurations',
  );
}

function checkMetadata(values: ReadonlyMap<string, Value>, { mappings }: ParsedMappings, report: Report): void {
  if (!values.get(KEY.metadataColumns)) return;
  const without = mappings.find(({ format }) => format.family === 'binary' || !format.batched);
  if (without)
    report(
      KEY.metadataColumns,
      `Files of format ${without.format.wireName}, to which topic ${without.topic} is mapped, cannot have metadata columns`,
    );
}
