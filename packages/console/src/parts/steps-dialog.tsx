/** A dialog for a change of several steps: it says what it means first, and then what happened at each step. */
import type { ComponentChildren, JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Role } from '../worker-api';
import { RequestError } from '../api/request';
import { ActionButton, Button } from './button';
import { Dialog } from './dialog';
import { Icon } from './icon';
import { printable } from './printable';

export interface StepsDialogProps {
  readonly title: string;
  /** What changes, and what is lost. */
  readonly children: ComponentChildren;
  readonly confirm: string;
  readonly needs: Role;
  /** Why it is not possible now; null: it is. */
  readonly objection?: string | null;
  /**
   * @param report called at the beginning of each step
   * @returns what is true now
   */
  readonly run: (report: (step: string) => void) => Promise<string>;
  /** After the last step, also one that failed: the steps before it have changed something. */
  readonly onEnd: () => void;
  readonly onClose: () => void;
}

interface Step {
  readonly text: string;
  readonly state: 'starting' | 'running' | 'failed';
}

const WORDS: Readonly<Record<Step['state'], string>> = { starting: 'now', running: 'done', failed: 'failed' };

export function StepsDialog(props: StepsDialogProps): JSX.Element {
  const { title, children, confirm, needs, objection = null, run, onEnd, onClose } = props;
  const [steps, setSteps] = useState<readonly Step[]>([]);
  const [isBusy, setBusy] = useState(false);
  const [isDone, setDone] = useState(false);
  const ended = (all: readonly Step[], state: 'running' | 'failed'): Step[] =>
    all.map((step) => (step.state === 'starting' ? { ...step, state } : step));
  const submit = async (): Promise<void> => {
    setBusy(true);
    setSteps([]);
    try {
      const message = await run((text) => setSteps((all) => [...ended(all, 'running'), { text, state: 'starting' }]));
      setSteps((all) => [...ended(all, 'running'), { text: message, state: 'running' }]);
      setDone(true);
    } catch (error) {
      setSteps((all) => [...ended(all, 'failed'), { text: textOf(error as Error), state: 'failed' }]);
    }
    setBusy(false);
    onEnd();
  };
  return (
    <Dialog title={title} size="large" onClose={isBusy ? undefined : onClose}>
      <div class="dialog-body">
        {children}
        <div role="log" aria-label="What happened">
          <ol class="steps">
            {steps.map(({ text, state }, i) => (
              <li key={i} class={`tone-${state}`}>
                <Icon name={state} />
                <span>
                  <span class="unseen">{WORDS[state]}: </span>
                  {printable(text)}
                </span>
              </li>
            ))}
          </ol>
        </div>
      </div>
      <footer class="dialog-foot">
        <Button objection={isBusy ? 'The change is on its way' : null} onClick={onClose}>
          {isDone ? 'Close' : 'Cancel'}
        </Button>
        {!isDone && (
          <ActionButton kind="danger" needs={needs} objection={objection} isBusy={isBusy} onClick={() => void submit()}>
            {confirm}
          </ActionButton>
        )}
      </footer>
    </Dialog>
  );
}

function textOf(error: Error): string {
  if (error instanceof RequestError) return `The worker answers ${error.status}: ${error.message}`;
  return error.name === 'Error' ? error.message : 'The worker does not answer.';
}
