/** Reads the worker settings; what is wrong with them is a finding. */
import { isConnectError } from '@millrace/sdk';
import { configWarnings } from '../../config/config-warnings';
import { withBrokerAt } from '../../config/embedded-broker';
import { forcedSettingWarnings } from '../../config/forced-client-settings';
import { createConfigResolver } from '../../config/providers/config-resolver';
import { parseWorkerConfig, type WorkerConfig } from '../../config/worker-config';
import { findRunningBroker } from '../../embedded-broker/running-broker';
import { createKafkaClients } from '../../kafka/create-clients';
import { clusterIdAt } from '../../kafka/network/cluster-id';
import type { Logger } from '../../logging/logger';
import { DEV_DEFAULTS } from '../dev';
import { clusterSetup } from '../kafka/cluster-setup';
import type { Invocation } from '../program/command-spec';
import type { WorkerSetup } from '../read-config';
import { notReached, type Deadline } from './deadline';
import { sentence } from './kafka-findings';
import type { DoctorFinding } from './report';

export interface DoctorSettings {
  /** With the address of the embedded broker, if one is used. Defaults if the settings are invalid. */
  readonly config: WorkerConfig;
  readonly resolver: WorkerSetup['resolver'];
  /** `config` names a Kafka cluster. */
  readonly hasKafka: boolean;
  readonly findings: readonly DoctorFinding[];
}

const SUBJECT = 'worker settings';
const BROKER_MS = 20_000;

export async function readSettings(
  invocation: Pick<Invocation, 'options' | 'io'>,
  logger: Logger,
  deadline: Deadline,
): Promise<DoctorSettings> {
  const { io } = invocation;
  let setup: WorkerSetup;
  try {
    setup = await clusterSetup(invocation);
  } catch (error) {
    if (!isConnectError(error)) throw error;
    const finding = {
      severity: 'error',
      code: error.code,
      subject: SUBJECT,
      message: sentence(error.message),
    } as const;
    return {
      config: parseWorkerConfig(DEV_DEFAULTS),
      resolver: createConfigResolver({ settings: {}, env: io.env, warn: () => undefined }),
      hasKafka: false,
      findings: [finding, unchecked('its settings are invalid')],
    };
  }
  const { config, embedded, resolver } = setup;
  const findings = [...configWarnings(config.raw), ...forcedSettingWarnings(config)].map(warning);
  if (!embedded) return { config, resolver, hasKafka: true, findings };
  const address = await deadline.read('The embedded broker', BROKER_MS, async () => {
    const clients = createKafkaClients(logger, config.tokenUrls);
    return await findRunningBroker(embedded.dataDir, (candidate) => clusterIdAt(clients, candidate));
  });
  if ('value' in address)
    return { config: parseWorkerConfig(withBrokerAt(config.raw, address.value)), resolver, hasKafka: true, findings };
  const { failed } = address;
  const finding = notReached('Kafka', failed) ?? unchecked(failed.message);
  return { config, resolver, hasKafka: false, findings: [...findings, finding] };
}

function warning(message: string): DoctorFinding {
  return { severity: 'warning', code: 'WORKER_SETTING', subject: SUBJECT, message: sentence(message) };
}

function unchecked(reason: string): DoctorFinding {
  return {
    severity: 'unchecked',
    code: 'KAFKA_NOT_CHECKED',
    subject: 'Kafka',
    message: `Not checked: ${sentence(reason)}`,
    cure: 'Name the worker settings with --config.',
  };
}
