/** The states of connectors and tasks. Pure. */
import { actionCommands, cureOf, isMild, isOfHealth, isOfWorker, NOT_IN_GROUP } from '@millrace/cli/connectors';
import { timeText } from '@millrace/cli/answers';
import { path } from '@millrace/cli/rest';
import { shellQuote } from '@millrace/cli/terminal';
import { traceReason } from '@millrace/texts/redaction';
import { type Failure, notReached } from './deadline';
import { failureCure } from './failure-cure';
import { clockFindings, noWorkerFinding } from './group-findings';
import { sentence } from './kafka-findings';
import type { DoctorFinding } from './report';
import { type ConnectorFacts, isNoWorker, type RestFacts } from './worker-facts';

/**
 * @param isGuessed the command line and the context name no URL
 * @param isOfFile the worker settings name it
 * @param isGroupKnown other findings are about the workers of the group
 */
export function restFindings(
  { url, worker, connectors }: RestFacts,
  isGuessed = false,
  isOfFile = false,
  isGroupKnown = false,
): DoctorFinding[] {
  const subject = `REST API ${url}`;
  if ('failed' in worker)
    return [
      notReached(subject, worker.failed) ?? {
        severity: isGuessed ? 'unchecked' : 'error',
        code: 'REST_UNREACHABLE',
        subject,
        message: `It does not answer: ${sentence(worker.failed.message)}`,
        cure: `Check that a worker runs there${isGuessed && isOfFile ? ', where the worker settings say' : ', or set --url or --context'}; try with`,
        statements: [`curl -sS ${shellQuote(`${url}/`)}`],
      },
    ];
  if (isNoWorker(worker.value)) return [noWorkerFinding(subject, url)];
  const found = clockFindings(subject, worker.value);
  if (connectors === undefined) return found;
  if ('failed' in connectors) return [...found, listFinding(subject, connectors.failed)];
  return [
    ...found,
    ...connectors.value.flatMap((connector) => [
      ...connectorFindings(connector, url),
      ...healthFindings(connector, subject, isGroupKnown),
    ]),
  ];
}

/** The list of connectors cannot be read, although the worker answers. */
function listFinding(subject: string, failure: Failure): DoctorFinding {
  const late = notReached(subject, failure);
  if (late !== null) return late;
  const { code, message, status } = failure;
  const finding = {
    severity: 'unchecked',
    subject,
    message: `Connectors were not checked: ${sentence(message)}`,
  } as const;
  if (code === 'REST_REPLY_INVALID') return { ...finding, code, cure: 'Check the URL and its path.' };
  if (status !== 401 && status !== 403)
    return { ...finding, code: 'REST_UNREACHABLE', cure: 'Repeat the check; see the log of the worker.' };
  return {
    ...finding,
    code: 'REST_REFUSED',
    cure: 'If the worker requires credentials, name their file in the context.',
  };
}

function connectorFindings({ name, connector, tasks, health }: ConnectorFacts, url: string): DoctorFinding[] {
  const subject = `connector ${name}`;
  const restartUrl = `${url}${path`/connectors/${name}/restart`}`;
  const restart = `curl -sS -X POST ${shellQuote(`${restartUrl}?includeTasks=true&onlyFailed=true`)}`;
  const found: DoctorFinding[] = [];
  if (connector.state === 'FAILED')
    found.push({
      severity: 'error',
      code: 'CONNECTOR_FAILED',
      subject,
      message: `The connector is FAILED on ${connector.worker_id ?? 'an unknown worker'}: ${firstLine(connector.trace)}`,
      ...failureCure(connector.trace ?? '', name, restart),
      ...statementsOf(name, health, null),
    });
  const failed = tasks.filter(({ state }) => state === 'FAILED');
  const [task] = failed;
  if (task !== undefined)
    found.push({
      severity: 'error',
      code: 'TASK_FAILED',
      subject,
      message: `${failed.length} of ${tasks.length} tasks are FAILED; task ${task.id} on ${task.worker_id ?? 'an unknown worker'}: ${firstLine(task.trace)}`,
      ...failureCure(task.trace ?? '', name, restart),
      ...statementsOf(name, health, task.id),
    });
  const unassigned = [connector, ...tasks].filter(({ state }) => state === 'UNASSIGNED').length;
  if (unassigned > 0)
    found.push({
      severity: 'warning',
      code: 'CONNECTOR_UNASSIGNED',
      subject,
      message: `${unassigned} of the connector and its tasks are UNASSIGNED: no worker runs them.`,
      cure: 'If no rebalance is in progress, check that the workers run; those of a stopped worker wait for scheduled.rebalance.max.delay.ms.',
    });
  if (connector.state === 'RUNNING' && tasks.length === 0)
    found.push({
      severity: 'warning',
      code: 'CONNECTOR_WITHOUT_TASKS',
      subject,
      message: 'The connector is RUNNING and has no task, so it moves no data.',
      cure: `This is right while it has nothing to do, for instance because nothing matches its config. Otherwise see why in the log of its worker${connector.worker_id === undefined ? '' : ` ${connector.worker_id}`} and correct its config; if the cause was elsewhere and is gone, restart it with`,
      // It has not failed, so that a restart of what has failed would leave it as it is.
      statements: [`curl -sS -X POST ${shellQuote(restartUrl)}`],
    });
  return found;
}

/** What the reason of a failure says can be done, unless it is only a restart. */
function statementsOf(
  name: string,
  health: ConnectorFacts['health'],
  task: number | null,
): Pick<DoctorFinding, 'statements'> {
  const { actions = [] } = health?.reasons.find((one) => !isOfHealth(one) && one.task === task) ?? {};
  if (actions.every(({ kind }) => kind === 'restart')) return {};
  return { statements: actionCommands(name, actions).map(({ command }) => command) };
}

/** @param rest what answers: it, not the connector, is what has left its group */
function healthFindings({ name, health }: ConnectorFacts, rest: string, isGroupKnown: boolean): DoctorFinding[] {
  const reasons = health?.reasons.filter((reason) => isOfHealth(reason) && !(isGroupKnown && isOfWorker(reason)));
  return (reasons ?? []).map((reason) => {
    const { code, message, cure, since, actions } = reason;
    const statements = actionCommands(name, actions).map(({ command }) => command);
    return {
      severity: isMild(reason) ? 'warning' : 'error',
      code,
      subject: code === NOT_IN_GROUP ? rest : `connector ${name}`,
      message: since === null ? message : `${sentence(message)} Since ${timeText(since)}.`,
      ...(cure !== null && { cure: cureOf(cure, name) }),
      ...(statements.length > 0 && { statements }),
    };
  });
}

/** The reason of a trace; the class before it is kept, because people search for it. */
function firstLine(trace = ''): string {
  return sentence(traceReason(trace).line || 'it has no trace.');
}
