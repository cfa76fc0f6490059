/** All errors of a form in one place. Each leads to its field. */
import type { JSX } from 'preact';
import { Icon } from '../parts/icon';
import { formatNumberOf } from '../parts/format';
import { printable } from '../parts/printable';
import type { Form } from './form-model';

export interface ErrorSummaryProps {
  readonly problems: Form['problems'];
  /** Shows and focuses the field. */
  readonly onGo: (key: string) => void;
}

const MOST = 12;

export function ErrorSummary({ problems, onGo }: ErrorSummaryProps): JSX.Element {
  return (
    // Rendered always: a live region that appears together with its text is not read.
    <div role="status" class="error-summary-place">
      {problems.length > 0 && (
        <div class="notice notice-failed">
          <Icon name="failed" />
          <div class="notice-text">
            <strong>{formatNumberOf(problems.length, 'key')} to correct</strong>
            <ul class="error-summary">
              {problems.slice(0, MOST).map(({ key, errors }) => (
                <li key={key}>
                  <button type="button" class="link code" onClick={() => onGo(key)}>
                    {printable(key)}
                  </button>{' '}
                  <bdi>{printable(errors[0] ?? '')}</bdi>
                </li>
              ))}
              {problems.length > MOST && <li class="muted">and {problems.length - MOST} more</li>}
            </ul>
          </div>
        </div>
      )}
    </div>
  );
}
