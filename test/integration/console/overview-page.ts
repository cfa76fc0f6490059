/** The console's list of connectors, as a person uses it: elements are found by their role and name. */
import type { Locator, Page } from 'playwright-core';

export class OverviewPage {
  constructor(readonly page: Page) {}

  /** Waits for the list, or for the text that takes its place. */
  async loaded(): Promise<this> {
    await this.page.getByRole('heading', { name: 'Connectors', level: 1 }).waitFor();
    await this.page
      .getByRole('table', { name: 'Connectors' })
      .or(this.page.getByText('No connector'))
      .first()
      .waitFor();
    return this;
  }

  get rows(): Locator {
    return this.page
      .getByRole('table', { name: 'Connectors' })
      .getByRole('row')
      .filter({ has: this.page.getByRole('cell') });
  }

  /** Waits until all rows are rendered: a long list is, a part at a time. */
  async allRows(): Promise<void> {
    await this.page.locator('table[aria-busy]').waitFor({ state: 'detached' });
  }

  /** Names in the order of the list. */
  async names(): Promise<string[]> {
    await this.allRows();
    return await this.page.locator('tbody .connector-link').allInnerTexts();
  }

  row(name: string): Locator {
    return this.rows.filter({ has: this.page.getByRole('link', { name, exact: true }) });
  }

  async waitForState(name: string, state: string): Promise<void> {
    await this.row(name).locator('.badge', { hasText: state }).waitFor();
  }

  async select(...names: string[]): Promise<void> {
    for (const name of names) await this.page.getByRole('checkbox', { name: `Select ${name}`, exact: true }).check();
  }

  action(label: string): Locator {
    return this.page
      .getByRole('group', { name: 'Actions on the selected connectors' })
      .getByRole('button', { name: label, exact: true });
  }

  get dialog(): Locator {
    return this.page.getByRole('dialog');
  }

  /** What became of the newest action, by connector. */
  result(name: string): Locator {
    return (
      this.page
        .getByRole('region', { name: 'Results of actions' })
        .locator('details')
        .first()
        .getByRole('listitem')
        // Not a link: a deleted connector has no page.
        .filter({ has: this.page.getByText(name, { exact: true }) })
    );
  }

  async waitForResult(name: string, result: string): Promise<void> {
    await this.result(name).filter({ hasText: result }).waitFor();
  }
}
