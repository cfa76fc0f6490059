/** Reads the worker settings; what is wrong with them is a finding. */
import type { Invocation } from '@millrace/cli';
import { clusterIdAt } from '@millrace/kafka-client';
import { isConnectError } from '@millrace/sdk';
import { startupWarnings } from '../../../config/differences/startup-warnings';
import { forcedSettingWarnings } from '../../../config/forced-settings';
import { withBrokerAt } from '../../../config/embedded-broker';
import { createConfigResolver } from '../../../config/providers/config-resolver';
import { problemsOf } from '../../../config/setting-problems';
import { parseWorkerConfig, type WorkerConfig } from '../../../config/worker-config';
import { findRunningBroker } from '../../../embedded-broker/running-broker';
import { workerClients } from '../../../kafka-clients';
import type { Logger } from '../../../logging/logger';
import { clusterSetup } from '../../worker/command-config';
import { DEV_DEFAULTS } from '../../worker/dev-defaults';
import { clusterOptions, type WorkerSetup } from '../../worker/read-config';
import { type Deadline, notReached } from './deadline';
import { readJavaWorker } from './from-java/read-sources';
import { readWorkerSettings } from './from-java/worker-source';
import { sentence } from './kafka-findings';
import type { DoctorFinding } from './report';

export interface DoctorSettings {
  /** With the address of the embedded broker, if one is used. Defaults if the settings are invalid. */
  readonly config: WorkerConfig;
  readonly resolver: WorkerSetup['resolver'];
  /** `config` names a Kafka cluster. */
  readonly hasKafka: boolean;
  /** The properties file that was read; null without one. */
  readonly file: string | null;
  readonly findings: readonly DoctorFinding[];
}

const SUBJECT = 'worker settings';
const BROKER_MS = 20_000;
/** Of their file and the files of config providers. */
const SETTINGS_MS = 10_000;
const UNREADABLE: DoctorFinding = {
  severity: 'error',
  code: 'DOCTOR_SETTINGS',
  subject: SUBJECT,
  message: `The worker settings were not read within ${SETTINGS_MS / 1000} s.`,
  cure: 'Check the file of --config or of the context, and the files that its config providers read: one of them does not answer, for instance a pipe that no process writes to.',
};

export async function readSettings(
  invocation: Pick<Invocation, 'options' | 'io'>,
  logger: Logger,
  deadline: Deadline,
): Promise<DoctorSettings> {
  const { io } = invocation;
  let setup: WorkerSetup | null;
  try {
    setup = await deadline.settle(SETTINGS_MS, (signal) => clusterSetup(invocation, signal));
  } catch (error) {
    if (!isConnectError(error)) throw error;
    const found = problemsOf(error).map(({ code, message }): DoctorFinding => ({
      severity: 'error',
      code,
      subject: SUBJECT,
      message: sentence(message),
    }));
    const findings = [...found, unchecked('its settings are invalid', 'Correct the settings first.')];
    return { ...withoutSettings(io, findings), ...withoutInvalid(invocation) };
  }
  if (setup === null) {
    const passed = [deadline.passed(SUBJECT), deadline.passed('Kafka')].filter((one) => one !== null);
    const cure = 'Make the settings readable first.';
    return withoutSettings(
      io,
      passed.length > 0 ? passed : [UNREADABLE, unchecked('its settings were not read', cure)],
    );
  }
  const { config, embedded, resolver, file } = setup;
  const findings = [...startupWarnings(config.raw), ...forcedSettingWarnings(config)].map(warning);
  if (!embedded) return { config, resolver, file, hasKafka: true, findings };
  const address = await deadline.read('The embedded broker', BROKER_MS, async () => {
    const clients = workerClients(logger, config.tokenUrls);
    return await findRunningBroker(embedded.dataDir, (candidate) => clusterIdAt(clients, candidate));
  });
  if ('value' in address)
    return {
      config: parseWorkerConfig(withBrokerAt(config.raw, address.value)),
      resolver,
      file,
      hasKafka: true,
      findings,
    };
  const { failed } = address;
  // Settings that name the embedded broker are not asked for again.
  const cure = file === null ? 'Name the worker settings with --config.' : undefined;
  const finding = notReached('Kafka', failed) ?? unchecked(failed.message, cure);
  return { config, resolver, file, hasKafka: false, findings: [...findings, finding] };
}

/** The other settings of the file, such as its listeners. */
function withoutInvalid({ options, io }: Pick<Invocation, 'options' | 'io'>): Partial<DoctorSettings> {
  const { file } = clusterOptions({ options });
  try {
    return file === undefined ? {} : { file, config: readWorkerSettings(readJavaWorker({ file }, io)).config };
  } catch {
    // The finding says that it cannot be read.
    return {};
  }
}

function withoutSettings(io: Invocation['io'], findings: readonly DoctorFinding[]): DoctorSettings {
  return {
    config: parseWorkerConfig(DEV_DEFAULTS),
    resolver: createConfigResolver({ settings: {}, env: io.env, warn: () => undefined }),
    file: null,
    hasKafka: false,
    findings,
  };
}

function warning(message: string): DoctorFinding {
  return { severity: 'warning', code: 'WORKER_SETTING', subject: SUBJECT, message: sentence(message) };
}

function unchecked(reason: string, cure?: string): DoctorFinding {
  return {
    severity: 'unchecked',
    code: 'KAFKA_NOT_CHECKED',
    subject: 'Kafka',
    message: `Not checked: ${sentence(reason)}`,
    ...(cure !== undefined && { cure }),
  };
}
