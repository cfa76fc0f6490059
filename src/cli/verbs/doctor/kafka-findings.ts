/** Whether Kafka can be reached, and which failures have which cause. Pure. */
import { shellQuote } from '@millrace/cli/terminal';
import { type Failure, notReached } from './deadline';
import type { KafkaFacts } from './kafka-facts';
import type { DoctorFinding } from './report';

const NETWORK = new Set(['CONNECTION_FAILED', 'REQUEST_TIMED_OUT_CLIENT', '']);
const AUTHENTICATION = new Set([
  'SASL_AUTHENTICATION_FAILED',
  'UNSUPPORTED_SASL_MECHANISM',
  'ILLEGAL_SASL_STATE',
  'SCRAM_ITERATIONS',
]);

export function kafkaFindings({ cluster, bootstrapServers, toolOptions }: KafkaFacts): DoctorFinding[] {
  if ('failed' in cluster)
    return [notReached('Kafka', cluster.failed) ?? connectionFinding(cluster.failed, bootstrapServers, toolOptions)];
  if (cluster.value.controllerId !== null) return [];
  return [
    {
      severity: 'warning',
      code: 'KAFKA_NO_CONTROLLER',
      subject: 'Kafka',
      message: 'The cluster has no controller, so topics cannot be created and leaders cannot move.',
      cure: 'Check the controllers of the cluster.',
      statements: [`kafka-metadata-quorum.sh ${toolOptions} describe --status`],
    },
  ];
}

function connectionFinding({ code, message }: Failure, bootstrapServers: string, toolOptions: string): DoctorFinding {
  const finding = { severity: 'error', subject: 'Kafka', message: sentence(message) } as const;
  const [first = ''] = bootstrapServers.split(',');
  if (NETWORK.has(code))
    return {
      ...finding,
      code: 'KAFKA_UNREACHABLE',
      cure: 'Check that the brokers run, that bootstrap.servers names them, that security.protocol is that of their listener, and that their advertised listeners can be reached from this machine; try with',
      statements: [`kafka-broker-api-versions.sh ${toolOptions}`],
    };
  if (AUTHENTICATION.has(code))
    return {
      ...finding,
      code: 'KAFKA_AUTHENTICATION',
      cure: 'The broker can be reached: correct sasl.mechanism, sasl.jaas.config and the other credentials in the worker settings.',
    };
  if (code === 'SSL_HANDSHAKE_FAILED')
    return {
      ...finding,
      code: 'KAFKA_TLS',
      cure: 'The broker can be reached: compare security.protocol and ssl.* in the worker settings with its certificate.',
      statements: [`openssl s_client -connect ${shellQuote(first.trim())} -showcerts </dev/null`],
    };
  if (code.endsWith('_AUTHORIZATION_FAILED')) return authorizationFinding('Kafka', finding.message);
  return { ...finding, code: 'KAFKA_SETTINGS', cure: 'Correct the client settings of the worker.' };
}

function authorizationFinding(subject: string, message: string, statements?: readonly string[]): DoctorFinding {
  return {
    severity: 'error',
    code: 'KAFKA_AUTHORIZATION',
    subject,
    message,
    cure: `The broker knows the principal, but its ACLs do not allow this: add an ACL for the principal of the workers${statements === undefined ? '' : ', in place of WORKER'}.`,
    ...(statements !== undefined && { statements }),
  };
}

/** For a request about `subject` that failed although the cluster answers. */
export function requestFinding(subject: string, failure: Failure, toolOptions: string, acl: string): DoctorFinding {
  const { code, message } = failure;
  const late = notReached(subject, failure);
  if (late !== null) return late;
  const statement = `kafka-acls.sh ${toolOptions} --add --allow-principal User:WORKER ${acl}`;
  if (code.endsWith('_AUTHORIZATION_FAILED')) return authorizationFinding(subject, sentence(message), [statement]);
  const finding = { severity: 'unchecked', code: 'KAFKA_REQUEST', subject } as const;
  if (code === 'UNSUPPORTED_VERSION_CLIENT')
    return { ...finding, message: `Not checked: ${sentence(`the broker does not offer the request (${message})`)}` };
  const cure = 'Repeat the check; if the request fails again, see the log of the broker.';
  return { ...finding, message: `Not checked: ${sentence(message)}`, cure };
}

export function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
