/** `sasl.jaas.config`, in Java's syntax. Source: kafka-client §3. */
import { parseJaasConfig as parseConfig, type JaasEntry } from '@millrace/sdk';
import { invalid } from '../client-settings';

export { parseJaasFile, type JaasEntry } from '@millrace/sdk';

/** Its single login module. Throws KafkaError INVALID_CLIENT_CONFIG; the message never repeats any value. */
export function parseJaasConfig(source: string): JaasEntry {
  return parseConfig(source, (problem) => invalid('sasl.jaas.config', problem));
}
