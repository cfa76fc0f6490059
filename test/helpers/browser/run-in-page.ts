import type { Page } from 'playwright-core';

/** Runs a script by the browser's protocol, because a page's policy may allow no other scripts than its own. */
export async function runInPage(page: Page, script: string): Promise<unknown> {
  const session = await page.context().newCDPSession(page);
  const { result, exceptionDetails } = await session.send('Runtime.evaluate', {
    expression: script,
    awaitPromise: true,
    returnByValue: true,
  });
  await session.detach();
  if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
  return result.value as unknown;
}

/** A headless browser never hides a page by itself. */
export async function setVisibility(page: Page, state: 'visible' | 'hidden'): Promise<void> {
  await runInPage(
    page,
    `Object.defineProperty(document, 'visibilityState', { configurable: true, get: () => '${state}' });
     document.dispatchEvent(new Event('visibilitychange'));`,
  );
}
