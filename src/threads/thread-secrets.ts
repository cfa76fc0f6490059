/** What config providers gave, told to a thread that shows texts. */
import { providedValues, type HiddenValues } from '../logging/hidden-values';

export interface HideMessage {
  readonly type: 'hide';
  readonly values: ReturnType<HiddenValues['snapshot']>;
}

export class ThreadSecrets {
  /** Version of the values that the thread knows. */
  private known = 0;

  constructor(private readonly post: (message: HideMessage) => void) {}

  /** Before the thread gets what may hold a value that is to be hidden. */
  tell(): void {
    if (this.known === providedValues.version) return;
    this.known = providedValues.version;
    this.post({ type: 'hide', values: providedValues.snapshot() });
  }
}
