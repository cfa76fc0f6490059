/** Hides secrets of worker settings and connector configs in what is printed. */
import { HiddenValues } from '../../logging/hidden-values';
import { TEXT_LIMIT } from '../../logging/bounded-text';
import { redactText } from '../../logging/redact';
import { HIDDEN, isSecret } from '../../logging/secrets';
import type { DoctorFinding } from './report';

type Settings = Readonly<Record<string, string>>;

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

  hide(finding: DoctorFinding): DoctorFinding {
    const { message, cure, statements } = finding;
    return {
      ...finding,
      message: redactText(this.text(message), TEXT_LIMIT, null),
      ...(cure !== undefined && { cure: this.text(cure) }),
      ...(statements !== undefined && { statements: statements.map((statement) => this.text(statement)) }),
    };
  }

  private text(text: string): string {
    return this.hidden.hide(text, { words: true });
  }
}
