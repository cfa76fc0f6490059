/** Reads the worker settings; what is wrong with them is a finding. */
import { dirname, resolve } from 'node:path';
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
import { contextsPath } from '../context/contexts-file';
import { contextOf } from '../context/server';
import { DEV_DEFAULTS } from '../dev';
import type { Invocation } from '../program/command-spec';
import { readConfig, type WorkerSetup } from '../read-config';
import { clusterOptions } from '../worker-options';
import { sentence } from './kafka-findings';
import { failureOf } from './read';
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

export async function readSettings(
  invocation: Pick<Invocation, 'options' | 'io'>,
  logger: Logger,
): Promise<DoctorSettings> {
  const { io } = invocation;
  const given = clusterOptions(invocation);
  const file = given.file ?? contextFile(invocation);
  let setup: WorkerSetup;
  try {
    setup = await readConfig(
      {
        defaults: DEV_DEFAULTS,
        usualFile: 'worker.properties',
        given: { ...given, ...(file !== undefined && { file }) },
      },
      io,
    );
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
  try {
    const clients = createKafkaClients(logger, config.tokenUrls);
    const address = await findRunningBroker(embedded.dataDir, (candidate) => clusterIdAt(clients, candidate));
    return { config: parseWorkerConfig(withBrokerAt(config.raw, address)), resolver, hasKafka: true, findings };
  } catch (error) {
    return { config, resolver, hasKafka: false, findings: [...findings, unchecked(failureOf(error).message)] };
  }
}

/** `config` of the context, unless the command names another server. */
function contextFile(invocation: Pick<Invocation, 'options' | 'io'>): string | undefined {
  const { url } = invocation.options as { url?: string };
  if (url !== undefined) return undefined;
  const context = contextOf(invocation);
  return context?.config === undefined ? undefined : resolve(dirname(contextsPath(invocation.io)), context.config);
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
