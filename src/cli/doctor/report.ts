/** What `millrace doctor` found, and how it is shown. */
import type { Finding } from '@millrace/sdk';
import { EXIT } from '../exit-codes';
import type { Paint } from '../output/colours';
import { printable } from '../output/printable';

/** A finding and what it is about: `Kafka`, `topic connect-configs`, `connector orders`. */
export interface DoctorFinding extends Finding {
  readonly subject: string;
}

/** One line about a system that was reached. */
export interface Checked {
  readonly subject: string;
  readonly summary: string;
}

export interface Report {
  readonly checked: readonly Checked[];
  readonly findings: readonly DoctorFinding[];
}

const ORDER = ['error', 'warning', 'unchecked'] as const;
const COLOURS = { error: 'red', warning: 'yellow', unchecked: 'grey' } as const;

/** By severity; each finding once. Several connectors of one server find the same. */
export function sorted(findings: readonly DoctorFinding[]): DoctorFinding[] {
  const unique = new Map(findings.map((finding) => [identity(finding), finding] as const));
  return ORDER.flatMap((severity) => [...unique.values()].filter((finding) => finding.severity === severity));
}

function identity({ severity, code, message, statements }: DoctorFinding): string {
  return JSON.stringify([severity, code, message, statements]);
}

/** `unreachable` if nothing was reached, `no` if a finding is an error. */
export function exitCodeOf({ checked, findings }: Report): number {
  if (checked.length === 0) return EXIT.unreachable;
  return findings.some(({ severity }) => severity === 'error') ? EXIT.no : EXIT.success;
}

export function reportText({ checked, findings }: Report, paint: Paint): string {
  const lines = checked.map(({ subject, summary }) => `${paint('bold', subject)}: ${summary}`);
  for (const { severity, code, subject, message, cure, statements = [] } of findings) {
    if (lines.length > 0) lines.push('');
    lines.push(`${paint(COLOURS[severity], severity)} ${code} (${subject})`, `  ${message}`);
    if (cure !== undefined) lines.push(`  ${cure}`);
    lines.push(...statements.map((statement) => paint('cyan', `    ${statement}`)));
  }
  lines.push('', summaryOf(findings));
  return `${lines.map(printable).join('\n')}\n`;
}

function summaryOf(findings: readonly DoctorFinding[]): string {
  const counts = ORDER.map((severity) => findings.filter((finding) => finding.severity === severity).length);
  const [errors = 0, warnings = 0, unchecked = 0] = counts;
  if (findings.length === 0) return 'Nothing is wrong.';
  return `${counted(errors, 'error')}, ${counted(warnings, 'warning')}, ${unchecked} not checked.`;
}

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;
