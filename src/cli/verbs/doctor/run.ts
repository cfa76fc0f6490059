/**
 * `millrace doctor [FILE...]`: checks what workers and connectors depend on. Reads only. Exit codes: 0 without an
 * error, 5 with one, 3 if nothing was reached.
 */
import type { Invocation } from '@millrace/cli';
import { writeAnswer } from '@millrace/cli/answers';
import { readDocuments } from '@millrace/cli/connectors';
import { chosenContext, type Server, serverOf } from '@millrace/cli/context';
import { isRunnable, paintOf, shellQuote, type ShowProgress, withProgress } from '@millrace/cli/terminal';
import { advertisedUrl } from '../../../config/listeners';
import { LogOnStderr } from '../../kafka/open-cluster';
import { restFindings } from './connector-findings';
import { Deadline, valueOf } from './deadline';
import { diagnoseConnectors } from './diagnose-connectors';
import { groupFindings, lostWorkerFindings } from './group-findings';
import { type KafkaFacts, readKafka } from './kafka-facts';
import { kafkaFindings } from './kafka-findings';
import { type Checked, type DoctorFinding, exitCodeOf, reportText, Secrets, sorted } from './report';
import { type DoctorSettings, readSettings } from './settings';
import { storageFindings } from './storage-findings';
import { isNoWorker, readOffsets, readRest, readWorkers, type RestFacts, type WorkerFacts } from './worker-facts';

export async function run(invocation: Invocation): Promise<number> {
  return await withProgress(invocation, examine);
}

async function examine(invocation: Invocation, show: ShowProgress): Promise<number> {
  const { args, options, io } = invocation;
  const { deadline = 60, resolveLocally = false } = options as { deadline?: number; resolveLocally?: boolean };
  const end = new Deadline(deadline);
  const read = await end.settle(Infinity, (signal) => readDocuments({ paths: args, signal }, io));
  const documents = read ?? [];
  const server = serverOf(invocation);
  const isGuessed = isDefault(invocation);
  // Findings say what is wrong; the log would repeat it, so that it is not opened unless a level is set.
  const { logger, levels } = new LogOnStderr(io, 'doctor');
  const settings = await readSettings(invocation, logger, end);
  const secrets = new Secrets();
  secrets.add(settings.config.raw);
  secrets.addCredentials(server.authorization);
  show(() => 'Checking Kafka');
  const kafka = settings.hasKafka ? await readKafka(settings, logger, end) : null;
  const group = valueOf(kafka?.group);
  show(() => 'Checking the workers');
  const workers = group === undefined ? [] : await readWorkers(group, server, end);
  const rest = await readRest(isGuessed ? serverToAsk(server, workers, settings) : server, end);
  const running = valueOf(rest.connectors) ?? [];
  const named = new Set(documents.map(({ name }) => name));
  const connectors = [
    ...documents.map((document) => ({ ...document, isTrusted: true })),
    ...running.filter(({ name }) => !named.has(name)).map((connector) => ({ ...connector, isTrusted: resolveLocally })),
  ];
  const diagnoses = await diagnoseConnectors(connectors, {
    ...settings,
    secrets,
    logger,
    levels,
    deadline: end,
    show,
    offsetsOf: async (name) =>
      running.some((one) => one.name === name) ? await readOffsets({ ...server, urls: [rest.url] }, name, end) : null,
    isComplete: rest.connectors !== undefined && 'value' in rest.connectors,
  });
  const findings: DoctorFinding[] = [
    ...(read === null ? [end.passed('connector documents')].filter((one) => one !== null) : []),
    ...settings.findings,
    ...(kafka === null ? [] : [...kafkaFindings(kafka), ...storageFindings(kafka), ...groupFindings(kafka, workers)]),
    ...restFindings(rest, isGuessed, settings.file !== null, group !== undefined),
    ...lostWorkerFindings(workers, workers.length === group?.members.length, rest),
    ...diagnoses.findings,
  ];
  const report = {
    checked: [...checkedKafka(kafka, workers), ...checkedRest(rest), ...diagnoses.checked],
    findings: sorted(end.merged(findings)).map((finding) =>
      secrets.hide(runnable(finding, serverOptions(invocation, rest.url, isGuessed))),
    ),
  };
  writeAnswer(invocation, report, () => reportText(report, paintOf(io)));
  return exitCodeOf(report);
}

/** Also one that reads from a pipe. */
const OF_MILLRACE = /^(?:echo '[^']*' \| )?millrace /;

/** Commands of `millrace` ask the same workers; without the statements that a shell of this platform would change. */
function runnable({ statements, ...finding }: DoctorFinding, options: string): DoctorFinding {
  if (statements === undefined) return finding;
  const complete = statements.map((statement) => (OF_MILLRACE.test(statement) ? statement + options : statement));
  return { ...finding, statements: complete.filter(isRunnable) };
}

/** Options with which another command asks the workers that this one has asked. */
function serverOptions({ options }: Invocation, url: string, isGuessed: boolean): string {
  const { context, url: given } = options as { context?: string; url?: string };
  if (context !== undefined) return ` --context ${shellQuote(context)}`;
  return given === undefined && !isGuessed ? '' : ` --url ${shellQuote(url)}`;
}

/** No option, variable or context names a URL, so that the server is only the default. */
function isDefault({ options, io }: Invocation): boolean {
  return (options as { url?: string }).url === undefined && !io.env.MILLRACE_URL && !chosenContext({ options, io });
}

/** Instead of the default, a worker of the group, or the one that the file describes. */
function serverToAsk(server: Server, workers: readonly WorkerFacts[], { file, config }: DoctorSettings): Server {
  const members = workers.flatMap(({ url, answer }) => ('value' in answer ? [url] : []));
  const ofFile = file === null ? [] : [advertisedUrl(config, config.listeners, () => 'localhost')];
  const urls = (members.length > 0 ? members : ofFile).map((url) => url.replace(/\/$/, ''));
  // The members are not trusted with credentials.
  return urls.length > 0 && server.authorization === undefined ? { urls, timeoutMs: server.timeoutMs } : server;
}

function checkedKafka(kafka: KafkaFacts | null, workers: readonly WorkerFacts[]): Checked[] {
  const cluster = valueOf(kafka?.cluster);
  if (kafka === null || cluster === undefined) return [];
  const { brokers, clusterId, controllerId } = cluster;
  const level = valueOf(kafka.features)?.get('metadata.version');
  const version = level === undefined ? '' : `metadata.version ${level}, `;
  const summary = `${version}cluster ${clusterId ?? 'without id'}, ${brokers.length} broker(s), controller ${controllerId ?? 'none'}`;
  const found: Checked[] = [{ subject: 'Kafka', summary }];
  const group = valueOf(kafka.group);
  if (group !== undefined && group.members.length > 0)
    found.push({
      subject: `group ${kafka.groupId}`,
      summary: `${group.state}, protocol ${group.protocol || 'none'}, ${group.members.length} worker(s): ${workers.map(({ url }) => url).join(', ')}`,
    });
  return found;
}

function checkedRest({ url, worker, connectors }: RestFacts): Checked[] {
  const answer = valueOf(worker);
  if (answer === undefined || isNoWorker(answer)) return [];
  const listed = valueOf(connectors);
  const count = listed === undefined ? '' : `, ${listed.length} connector(s)`;
  return [{ subject: `REST API ${url}`, summary: `version ${answer.version ?? 'not shown'}${count}` }];
}
