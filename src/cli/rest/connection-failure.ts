/** Why an HTTP request had no answer, in words that say what to change. */

const NAME_UNKNOWN = new Set(['ENOTFOUND', 'EAI_AGAIN']);
const UNTRUSTED = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);

/** @param error of the connection @param url what was requested */
export function connectionFailure(error: unknown, url: string): string {
  const { code = '', message = '' } = error as NodeJS.ErrnoException;
  const isTls = url.startsWith('https:');
  if (code === 'ECONNREFUSED') return 'nothing listens there';
  if (NAME_UNKNOWN.has(code)) return 'the host name is not known';
  if (UNTRUSTED.has(code)) return `its certificate is not trusted (${code}); set --ca of the context`;
  if (isTls && /wrong version number|packet length too long/.test(message))
    return 'it does not use TLS; an http:// URL may be right';
  if (!isTls && (code.startsWith('HPE_') || code === 'ECONNRESET'))
    return 'it closed the connection or does not use HTTP; an https:// URL may be right';
  return message.split('\n')[0] || code;
}
