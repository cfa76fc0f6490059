/** Texts that are safe to show: bounded, without secrets and values of config providers. */
export { boundedText, TEXT_LIMIT } from '../bounded-text';
export { HiddenValues } from '../hidden-values';
export {
  addProvidedValue,
  hideProvidedValues,
  type Owner,
  type Owners,
  type ProvidedValues,
  providedValuesSince,
  providedValuesVersion,
  receiveProvidedValues,
} from '../provided-values';
export { isError, redact, redactText } from '../redact';
export { hasPrivateKey, HIDDEN, hideSecretsIn, isSecret, isSecretName } from '../secrets';
export { isWrapper, traceReason } from '../trace-reason';
