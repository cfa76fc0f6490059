/** `alice@example.com` becomes `a***@example.com`. Text without an @ becomes `***`. */
export function maskEmail(email: string): string {
  const at = email.lastIndexOf('@');
  if (at < 1) return '***';
  return `${[...email][0]}***${email.slice(at)}`;
}
