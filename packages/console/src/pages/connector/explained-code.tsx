/** An error code, and what the documentation says of it. */
import type { JSX } from 'preact';
import type { Explanation } from '../../worker-api';
import { printable } from '../../parts/printable';
import { useSession } from '../../parts/session';
import { ExternalLink, Text } from '../../parts/text';
import { CopyButton, InlineCode } from '../../parts/trace';

export interface ExplainedCodeProps {
  readonly code: string;
  /** Undefined: the documentation does not know the code. */
  readonly explanation: Explanation | undefined;
  /** What the page says already of what to do. */
  readonly shownCure: string | null;
}

export function ExplainedCode({ code, explanation, shownCure }: ExplainedCodeProps): JSX.Element {
  const { docsUrl } = useSession();
  const command = `millrace explain ${code}`;
  return (
    <div class="explained-code">
      {explanation && (
        <>
          <p class="muted">
            <InlineCode>{code}</InlineCode> <Marked text={explanation.happened} />
          </p>
          {explanation.cure !== shownCure && explanation.cure !== '' && (
            <p class="muted">
              <Marked text={explanation.cure} />
            </p>
          )}
        </>
      )}
      <p class="failure-code">
        {explanation && docsUrl !== null ? (
          <ExternalLink url={`${docsUrl}/errors.html#${code}`}>{`${code} in the documentation`}</ExternalLink>
        ) : (
          <InlineCode>{command}</InlineCode>
        )}
        <CopyButton text={command} label={`Copy ${printable(command)}`} />
      </p>
    </div>
  );
}

/** Text with code in backticks. */
function Marked({ text }: { readonly text: string }): JSX.Element {
  return (
    <>
      {text
        .split('`')
        .map((part, i) => (i % 2 === 0 ? <Text key={i}>{part}</Text> : <InlineCode key={i}>{part}</InlineCode>))}
    </>
  );
}
