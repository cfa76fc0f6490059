/** Checks a page's accessibility by axe-core. */
import { source } from 'axe-core';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';

/** One line for each element that breaks a rule: impact, rule, element and why. Empty: none. */
export async function axe(page: Page): Promise<readonly string[]> {
  const session = await page.context().newCDPSession(page);
  // By the protocol, because the page's policy allows no other scripts than the console's.
  await session.send('Runtime.evaluate', { expression: source });
  const { violations } = await page.evaluate(async () => {
    const { axe: checker } = globalThis as unknown as { axe: { run(options: object): Promise<AxeResults> } };
    return await checker.run({ resultTypes: ['violations'] });
  });
  await session.detach();
  return violations.flatMap(({ id, impact, nodes }) =>
    nodes.map(({ target, failureSummary = '' }) => `${impact} ${id} at ${target.join(' ')}: ${failureSummary}`),
  );
}
