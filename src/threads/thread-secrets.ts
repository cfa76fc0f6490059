/** Sends the values of config providers to a thread, which hides them in its texts. */
import { type ProvidedValues, providedValuesSince, providedValuesVersion } from '@millrace/texts/redaction';

export interface HideMessage {
  readonly type: 'hide';
  readonly values: ProvidedValues;
}

export class ThreadSecrets {
  /** Version of the values that were sent last. */
  private sent = 0;

  constructor(private readonly post: (message: HideMessage) => void) {}

  /** Call before sending the thread a message that may contain a provided value. */
  send(): void {
    const version = providedValuesVersion();
    if (this.sent === version) return;
    const values = providedValuesSince(this.sent);
    this.sent = version;
    this.post({ type: 'hide', values });
  }
}
