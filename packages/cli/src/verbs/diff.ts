/** `millrace diff`: compares connectors with files. */
import { planText, planValue, readPlan } from '../connectors/plan';
import { EXIT } from '../exit-codes';
import { writeAnswer } from '../output/answer';
import { paintOf } from '../output/colours';
import type { Invocation, VerbSpec } from '../program/command-spec';
import { FILE_OPTIONS, PRUNE_OPTIONS } from '../program/shared-options';
import { withClient } from '../rest/clients';

export const command: VerbSpec = {
  name: 'diff',
  options: [...FILE_OPTIONS, ...PRUNE_OPTIONS],
  shared: ['server', 'output'],
  examples: [{ command: 'diff -f connectors/', explanation: 'What "apply" would change' }],
  run,
};

async function run(invocation: Invocation): Promise<number> {
  return await withClient(invocation, async (client) => {
    const steps = await readPlan(client, invocation);
    writeAnswer(invocation, planValue(steps), () => planText(steps, paintOf(invocation.io)));
    return steps.some(({ action }) => action !== 'none') ? EXIT.no : EXIT.success;
  });
}
