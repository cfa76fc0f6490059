import type { Page } from 'playwright-core';

/** Delays the page's requests that match, until the returned function is called. */
export async function hold(page: Page, pattern: string): Promise<() => void> {
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  await page.route(pattern, async (route) => {
    await released;
    await route.continue();
  });
  return release;
}
