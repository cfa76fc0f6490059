/** Checks a page's accessibility by axe-core. */
import { source } from 'axe-core';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';
import { runInPage } from './run-in-page';

/** One line for each element that breaks a rule: impact, rule, element and why. Empty: none. */
export async function axe(page: Page): Promise<readonly string[]> {
  const run = `${source}; axe.run({ resultTypes: ['violations'] }).then(({ violations }) => ({ violations }))`;
  const { violations } = (await runInPage(page, run)) as Pick<AxeResults, 'violations'>;
  return violations.flatMap(({ id, impact, nodes }) =>
    nodes.map(({ target, failureSummary = '' }) => `${impact} ${id} at ${target.join(' ')}: ${failureSummary}`),
  );
}
