/** Builds findings; the order of arguments is that of a sentence: what is wrong, what to do, what to run. */
import type { Finding } from '@millrace/sdk';
import type { ServerFacts } from '../database/server';

interface Cure {
  readonly cure?: string;
  readonly statements?: readonly string[];
}

export function fault(code: string, message: string, cure: Cure = {}): Finding {
  return { severity: 'error', code, message, ...cure };
}

export function caution(code: string, message: string, cure: Cure = {}): Finding {
  return { severity: 'warning', code, message, ...cure };
}

/** Statements for a setting of the server that takes effect without a restart. @param value an SQL literal */
export function reloaded(setting: string, value: string): string[] {
  return [`ALTER SYSTEM SET ${setting} = ${value};`, 'SELECT pg_reload_conf();'];
}

/** Ends a cure whose statements change what a standby only has as a copy. */
export function place({ inRecovery }: Pick<ServerFacts, 'inRecovery'>): string {
  return inRecovery ? ' on the primary' : '';
}

/** Deletes all offsets of a stopped connector and starts it. */
export function resetOffsets(connector: string): string {
  return `millrace offsets reset ${shellWord(connector)} --resume`;
}

export function stopConnector(connector: string): string {
  return `millrace stop ${shellWord(connector)}`;
}

/** As it is, if no shell changes it. */
function shellWord(text: string): string {
  return /^[\w.:-]+$/.test(text) ? text : shellQuoted(text);
}

export function shellQuoted(text: string): string {
  return `"${text.replace(/["\\$`]/g, '\\$&')}"`;
}

/** Names listed in one message. */
const MOST_NAMES = 20;

export function listed(names: readonly string[]): string {
  const shown = names.slice(0, MOST_NAMES).join(', ');
  return names.length > MOST_NAMES ? `${shown} and ${names.length - MOST_NAMES} more` : shown;
}
