/** `sasl.jaas.config`: exactly one login module. Source: kafka-client §3. */
import { invalid } from '../client-settings';
import { JaasTokens, type JaasEntry } from './jaas-tokens';

const KEY = 'sasl.jaas.config';

/** Throws KafkaError INVALID_CLIENT_CONFIG; the message never repeats any value. */
export function parseJaasConfig(source: string): JaasEntry {
  const problem = (text: string): Error => invalid(KEY, text);
  const tokens = new JaasTokens(source, problem);
  const entry = tokens.entry();
  if (!tokens.isAtEnd) throw problem('must hold exactly one login module');
  return entry;
}
