/**
 * How smooth the console's list is with many connectors: the time until it is shown, its longest task while it polls,
 * and the time from an input to the next frame. `npm run bench -- console-page [CONNECTORS,…] [ROUNDS]`
 * (Default: 50,500 3). Needs Chromium. Connectors are sources with an idle task.
 */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { chromium, type Browser, type Page } from 'playwright-core';
import { CHROMIUM_FLAGS, chromiumProgram, installChromium } from '../dev/services/chromium';
import { useOrStartKafka } from '../dev/services/kafka';
import { ROOT } from '../dev/services/paths';
import { startWorker } from '../dev/services/worker';
import { runInPage } from '../test/helpers/browser/run-in-page';
import { addIdleConnectors } from './lib/idle-connectors';
import { benchmark, figure, heading, median } from './lib/report';

const COUNTS = (process.argv[2] ?? '50,500').split(',').map(Number);
const ROUNDS = Number(process.argv[3] ?? '3');
const POLLED_MS = 20_000;

/** Longest task of the main thread in ms; the browser reports those from 50 ms on. */
const LONG_TASKS = `
  window.longestTask = 0;
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) window.longestTask = Math.max(window.longestTask, duration);
  }).observe({ type: 'longtask', buffered: true });
`;

/** From the input to the frame after the one that shows its effect, in ms. */
const inputTime = (input: string): string => `new Promise((resolve) => {
  const began = performance.now();
  ${input};
  requestAnimationFrame(() => requestAnimationFrame(() => resolve(performance.now() - began)));
})`;

/** As typed: the framework listens to the event. */
const typed = (text: string): string => `{
  const field = document.querySelector('input[type=search]');
  Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set.call(field, '${text}');
  field.dispatchEvent(new InputEvent('input', { bubbles: true }));
}`;
const SELECT_ALL = "document.querySelector('thead input[type=checkbox]').click()";

interface Round {
  readonly shown: number;
  readonly longestLoading: number;
  readonly longestPolling: number;
  readonly typing: number;
  readonly selecting: number;
}

const evaluate = async (page: Page, script: string): Promise<number> => Number(await runInPage(page, script));

async function round(browser: Browser, url: string): Promise<Round> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
  try {
    await context.addInitScript(LONG_TASKS);
    const page = await context.newPage();
    const began = performance.now();
    await page.goto(`${url}/ui/`);
    await page.locator('tbody .connector-link').first().waitFor();
    await page.locator('table[aria-busy]').waitFor({ state: 'detached' });
    const shown = performance.now() - began;
    const longestLoading = await evaluate(page, 'longestTask');
    await evaluate(page, 'longestTask = 0');
    await sleep(POLLED_MS);
    const longestPolling = await evaluate(page, 'longestTask');
    const typing = await evaluate(page, inputTime(typed('7')));
    await evaluate(page, inputTime(typed('')));
    await page.locator('table[aria-busy]').waitFor({ state: 'detached' });
    const selecting = await evaluate(page, inputTime(SELECT_ALL));
    return { shown, longestLoading, longestPolling, typing, selecting };
  } finally {
    await context.close();
  }
}

benchmark(async (atEnd) => {
  const missing = installChromium();
  if (missing !== null) throw new Error(missing);
  const kafka = await useOrStartKafka();
  atEnd(kafka.stop);
  const browser = await chromium.launch({ executablePath: chromiumProgram(), args: [...CHROMIUM_FLAGS] });
  atEnd(() => browser.close());
  heading(`The list of connectors in Chromium ${browser.version()}`);

  for (const connectors of COUNTS) {
    const group = `bench-${randomBytes(3).toString('hex')}`;
    const settings = { 'plugin.path': join(ROOT, 'dev', 'plugins') };
    const worker = await startWorker({ bootstrapServers: kafka.bootstrapServers, group, settings });
    try {
      await worker.ready();
      await addIdleConnectors(worker, connectors);
      const rounds: Round[] = [];
      for (let i = 0; i < ROUNDS; i++) rounds.push(await round(browser, worker.url));
      const ms = (part: keyof Round): string => `${median(rounds.map((one) => one[part])).toFixed(0)} ms`;
      /** The browser reports no shorter ones. */
      const task = (part: keyof Round): string => {
        const longest = Math.max(...rounds.map((one) => one[part]));
        return longest === 0 ? 'under 50 ms' : `${longest.toFixed(0)} ms`;
      };
      figure(`${connectors} connectors: all rows shown`, ms('shown'));
      figure(`${connectors} connectors: longest task until then`, task('longestLoading'));
      figure(`${connectors} connectors: longest task, polling`, task('longestPolling'), 'under 50 ms');
      figure(`${connectors} connectors: a typed character`, ms('typing'));
      figure(`${connectors} connectors: select all`, ms('selecting'));
    } finally {
      await worker.stop();
    }
  }
});
