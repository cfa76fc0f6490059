/** What `millrace doctor` found, and how it is shown. */
import { EXIT } from '@millrace/cli';
import { type Paint, printable } from '@millrace/cli/terminal';
import { HIDDEN, HiddenValues, isSecret, redactText } from '@millrace/texts/redaction';
import type { Finding } from '@millrace/sdk';

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

/** A trace's reason ends with its place and cure, so that it must not be cut. Characters. */
const LONGEST_MESSAGE = 16_384;
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

type Settings = Readonly<Record<string, string>>;

/** Hides secrets of worker settings and connector configs in what is printed. */
export class Secrets {
  private readonly hidden = new HiddenValues();

  /** @param resolved the same settings, with placeholders replaced */
  add(given: Settings, resolved: Settings = given): void {
    const open = new Set(Object.entries(given).flatMap(([key, value]) => (isSecret(key, value) ? [] : [value])));
    for (const [key, value] of Object.entries(resolved)) {
      const placeholder = given[key];
      if (placeholder !== undefined && placeholder !== value) this.hidden.add(value, placeholder);
      // A value that another key shows is not a secret: hiding a user's name would hide what is wrong.
      else if (isSecret(key, value) && value !== '' && !open.has(value)) this.hidden.add(value, HIDDEN);
    }
  }

  /** @param authorization HTTP header; its credentials are hidden with and without their scheme */
  addCredentials(authorization: string | undefined): void {
    if (authorization === undefined) return;
    const credentials = authorization.replace(/^\w+ +/, '');
    this.hidden.add(credentials, HIDDEN);
    if (!/^basic /i.test(authorization)) return;
    const pair = Buffer.from(credentials, 'base64').toString();
    const password = pair.slice(pair.indexOf(':') + 1);
    if (password !== '') this.hidden.add(password, HIDDEN);
  }

  /** For a text that may quote settings. */
  bounded(text: string): string {
    return redactText(this.text(text), LONGEST_MESSAGE, null);
  }

  hide(finding: DoctorFinding): DoctorFinding {
    const { message, cure, statements } = finding;
    return {
      ...finding,
      message: this.bounded(message),
      ...(cure !== undefined && { cure: this.text(cure) }),
      ...(statements !== undefined && { statements: statements.map((statement) => this.text(statement)) }),
    };
  }

  private text(text: string): string {
    return this.hidden.hide(text, { words: true });
  }
}
