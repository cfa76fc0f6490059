/** The workers' group: its members, their URLs, clocks and versions. Pure. */
import { shellQuote } from '@millrace/cli/terminal';
import { notReached, valueOf } from './deadline';
import type { KafkaFacts } from './kafka-facts';
import { requestFinding, sentence } from './kafka-findings';
import type { DoctorFinding } from './report';
import {
  type ConnectorFacts,
  isNoWorker,
  MOST_WORKERS,
  type RestFacts,
  type WorkerAnswer,
  type WorkerFacts,
} from './worker-facts';

/** Clocks that differ more are a warning: tokens, session keys and lags depend on them. */
const CLOCK_SKEW_MS = 5_000;

export function groupFindings(facts: KafkaFacts, workers: readonly WorkerFacts[]): DoctorFinding[] {
  const { group, groupId, toolOptions } = facts;
  const subject = `group ${groupId}`;
  if (group === undefined) return [];
  if ('failed' in group)
    return [
      requestFinding(
        subject,
        group.failed,
        toolOptions,
        `--operation Describe --operation Read --group ${shellQuote(groupId)}`,
      ),
    ];
  const { members, protocolType, state } = group.value;
  if (members.length > 0 && protocolType !== 'connect')
    return [
      {
        severity: 'error',
        code: 'GROUP_TYPE',
        subject,
        message: `Its members use the protocol "${protocolType}", so workers cannot join it: another program uses this group.id.`,
        cure: 'Set another group.id on all workers; see the members with',
        statements: [`kafka-consumer-groups.sh ${toolOptions} --describe --members --group ${shellQuote(groupId)}`],
      },
    ];
  if (members.length === 0)
    return [
      {
        severity: 'warning',
        code: 'GROUP_EMPTY',
        subject,
        message: 'No worker is in the group, so no connector runs.',
        cure: 'Start a worker with these settings.',
      },
    ];
  const found: DoctorFinding[] = [];
  if (state !== 'Stable')
    found.push({
      severity: 'warning',
      code: 'GROUP_REBALANCING',
      subject,
      message: `The group is in state ${state}: its ${members.length} member(s) have not agreed on an assignment.`,
      cure: 'Repeat the check; if it stays so, look for a worker that restarts or does not answer.',
    });
  if (members.length > MOST_WORKERS)
    found.push({
      severity: 'unchecked',
      code: 'GROUP_MEMBERS',
      subject,
      message: `Only ${MOST_WORKERS} of ${members.length} workers were asked.`,
    });
  return [
    ...found,
    ...workers.flatMap((worker) => workerFindings(worker, facts)),
    ...duplicates(subject, workers),
    ...storage(subject, facts, workers),
    ...versions(subject, workers),
  ];
}

function workerFindings({ url, member, answer }: WorkerFacts, facts: KafkaFacts): DoctorFinding[] {
  const subject = url === '' ? `member ${member}` : `worker ${url}`;
  if ('failed' in answer)
    return [
      notReached(subject, answer.failed) ?? {
        severity: 'error',
        code: 'WORKER_UNREACHABLE',
        subject,
        message: `It is a member of group ${facts.groupId}, but does not answer at its advertised URL: ${sentence(answer.failed.message)}`,
        cure: 'Check that it runs, and set rest.advertised.host.name, rest.advertised.port and rest.advertised.listener to what other workers can reach; try with',
        statements: [`curl -sS ${shellQuote(`${url.replace(/\/$/, '')}/`)}`],
      },
    ];
  if (isNoWorker(answer.value)) return [noWorkerFinding(subject, url)];
  return [...clockFindings(subject, answer.value), ...otherCluster(subject, answer.value, facts)];
}

/** @param url where something else than a worker answers */
export function noWorkerFinding(subject: string, url: string): DoctorFinding {
  return {
    severity: 'error',
    code: 'REST_REPLY_INVALID',
    subject,
    message: 'Something answers at this URL, but not as a Connect worker: GET / has no version.',
    cure: 'Check the host, the port and the path of the URL; see the answer with',
    statements: [`curl -sS ${shellQuote(`${url.replace(/\/$/, '')}/`)}`],
  };
}

export function clockFindings(subject: string, { aheadMs, uncertainMs }: WorkerAnswer): DoctorFinding[] {
  if (aheadMs === null || Math.abs(aheadMs) - uncertainMs <= CLOCK_SKEW_MS) return [];
  return [
    {
      severity: 'warning',
      code: 'CLOCK_SKEW',
      subject,
      message: `Its clock is ${Math.round(Math.abs(aheadMs) / 1000)} s ${aheadMs > 0 ? 'ahead of' : 'behind'} the clock of this machine.`,
      cure: 'Synchronize the clocks of both machines; see the state of each with',
      statements: ['timedatectl status'],
    },
  ];
}

function otherCluster(subject: string, { clusterId }: WorkerAnswer, { cluster }: KafkaFacts): DoctorFinding[] {
  const expected = valueOf(cluster)?.clusterId ?? null;
  if (clusterId === null || expected === null || clusterId === expected) return [];
  return [
    {
      severity: 'error',
      code: 'WORKER_OTHER_CLUSTER',
      subject,
      message: `The worker at this URL uses Kafka cluster ${clusterId}, but the URL is advertised in cluster ${expected}.`,
      cure: 'Correct rest.advertised.host.name and rest.advertised.port of the member: other workers forward requests there.',
    },
  ];
}

function duplicates(subject: string, workers: readonly WorkerFacts[]): DoctorFinding[] {
  const urls = workers.map(({ url }) => url).filter((url) => url !== '');
  return [...new Set(urls.filter((url, i) => urls.indexOf(url) !== i))].map((url) => ({
    severity: 'error',
    code: 'GROUP_DUPLICATE_URL',
    subject,
    message: `Several members advertise ${url}, so requests for one of them reach another.`,
    cure: 'Set rest.advertised.host.name and rest.advertised.port of each worker to its own address.',
  }));
}

/** Workers that read different config topics never agree, and run different connectors. */
function storage(
  subject: string,
  { configEnd, storage: topics }: KafkaFacts,
  workers: readonly WorkerFacts[],
): DoctorFinding[] {
  const cure = 'Give each cluster a group.id of its own, and the same storage topics to all its workers.';
  const end = valueOf(configEnd);
  const beyond = end === undefined ? [] : workers.filter(({ configOffset }) => configOffset > end);
  const topic = topics.find(({ kind }) => kind === 'config')?.wanted.topic ?? '';
  if (beyond.length > 0)
    return [
      {
        severity: 'error',
        code: 'GROUP_MIXED_STORAGE',
        subject,
        message: `${beyond.map(({ url, configOffset }) => `${url} has read its config topic up to offset ${configOffset - 1}`).join(', ')}, but topic ${topic} ends at ${end}: another config.storage.topic is used there, or the topic was created again.`,
        cure,
      },
    ];
  const lists = workers.flatMap(({ url, answer }) => {
    const connectors = valueOf(answer)?.connectors;
    return connectors ? [{ url, names: [...connectors].sort().join('\n') }] : [];
  });
  const [first] = lists;
  const other = lists.find(({ names }) => names !== first?.names);
  if (first === undefined || other === undefined) return [];
  return [
    {
      severity: 'error',
      code: 'GROUP_MIXED_STORAGE',
      subject,
      message: `${first.url} and ${other.url} list different connectors: they use different storage topics, or one of them cannot read the config topic.`,
      cure,
      statements: [first, other].map(({ url }) => `curl -sS ${shellQuote(`${url.replace(/\/$/, '')}/connectors`)}`),
    },
  ];
}

function versions(subject: string, workers: readonly WorkerFacts[]): DoctorFinding[] {
  const found = workers.flatMap(({ url, answer }) => {
    const version = valueOf(answer)?.version;
    return version ? [{ url, version }] : [];
  });
  if (new Set(found.map(({ version }) => version)).size <= 1) return [];
  return [
    {
      severity: 'warning',
      code: 'WORKER_VERSIONS',
      subject,
      message: `The workers have different versions: ${found.map(({ url, version }) => `${url} ${version}`).join(', ')}.`,
      cure: 'Finish the upgrade.',
    },
  ];
}

/** Connectors named in one message. */
const MOST_NAMES = 10;

/**
 * Work that the REST API shows as RUNNING on a worker that is not in the group: no worker does it.
 * @param isWhole whether `workers` are all members of the group
 */
export function lostWorkerFindings(
  workers: readonly WorkerFacts[],
  isWhole: boolean,
  { url, connectors }: RestFacts,
): DoctorFinding[] {
  const members = new Set(workers.map((worker) => workerIdOf(worker.url)));
  const running = workByWorker(valueOf(connectors) ?? []);
  // A REST API of another group, or a group that is known in part, shows workers that are not lost.
  const isOfGroup = members.has(workerIdOf(url)) || [...running.keys()].some((worker) => members.has(worker));
  if (!isWhole || members.size === 0 || members.has('') || !isOfGroup) return [];
  return [...running]
    .filter(([worker]) => !members.has(worker))
    .map(([worker, names]) => ({
      severity: 'error',
      code: 'WORKER_LOST',
      subject: `worker ${worker}`,
      message: `It is not in the group, and work of ${listed([...names])} is shown as RUNNING on it, so nothing does this work.`,
      cure: 'Start the worker again under the same advertised address, or wait: the other workers take over its work scheduled.rebalance.max.delay.ms (5 minutes by default) after it has left.',
    }));
}

function workByWorker(connectors: readonly ConnectorFacts[]): Map<string, Set<string>> {
  const running = new Map<string, Set<string>>();
  for (const { name, connector, tasks } of connectors)
    for (const { state, worker_id: worker } of [connector, ...tasks])
      if (state === 'RUNNING' && worker !== undefined && worker !== '')
        running.set(worker, (running.get(worker) ?? new Set()).add(name));
  return running;
}

/** `host:port` of a worker's URL, as statuses have it. */
function workerIdOf(url: string): string {
  return url.replace(/^https?:\/\//, '').split('/', 1)[0] as string;
}

function listed(names: readonly string[]): string {
  const shown = names.slice(0, MOST_NAMES).join(', ');
  return names.length > MOST_NAMES ? `${shown} and ${names.length - MOST_NAMES} more` : shown;
}
