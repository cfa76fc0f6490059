/** `Filter`: drops every record it is applied to, so it is used with a predicate. Source: connect-runtime §7.2. */
import type { Transformation } from '@millrace/sdk';

export class Filter implements Transformation {
  readonly takesRaw = true;
  configure(): void {}
  apply(): null {
    return null;
  }
}
