/** What a page must not do: each is a failure of the test, unless the test expects it. */
import type { BrowserContext, Page } from 'playwright-core';

/** Rules of the page's policy that it broke. Set in the page by a script that runs before its own. */
const VIOLATIONS = `
  addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI, sample }) =>
    console.error('Content-Security-Policy: ' + violatedDirective + ' ' + blockedURI + ' ' + sample));
`;

export class Problems {
  private readonly found: string[] = [];
  private readonly expected: RegExp[] = [];

  /** Problems with this text are part of the test, such as requests to a worker that was killed. */
  expect(pattern: RegExp): void {
    this.expected.push(pattern);
  }

  unexpected(): readonly string[] {
    return this.found.filter((problem) => !this.expected.some((pattern) => pattern.test(problem)));
  }

  /** @param origins of the workers; requests to others are problems */
  async watch(context: BrowserContext, origins: ReadonlySet<string>): Promise<void> {
    await context.addInitScript(VIOLATIONS);
    context.on('page', (page) => this.watchPage(page));
    context.on('request', (request) => {
      const url = new URL(request.url());
      if (!origins.has(url.origin) && url.protocol !== 'data:') this.found.push(`request to ${request.url()}`);
    });
  }

  private watchPage(page: Page): void {
    page.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning')
        this.found.push(`console ${message.type()}: ${message.text()} (${message.location().url})`);
    });
    page.on('pageerror', (error) => this.found.push(`uncaught error: ${error.stack ?? error.message}`));
    page.on('dialog', (dialog) => {
      this.found.push(`dialog: ${dialog.message()}`);
      dialog.dismiss().catch(() => undefined);
    });
    page.on('websocket', (socket) => this.found.push(`websocket to ${socket.url()}`));
    page.on('crash', () => this.found.push('the page crashed'));
  }
}
