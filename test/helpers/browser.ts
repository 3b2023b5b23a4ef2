import axe from 'axe-core';
import { type Browser, chromium, type Page } from 'playwright-core';
import { haveAll } from './debian-program.ts';

const CHROMIUM = '/usr/bin/chromium';

/** Debian's Chromium is on this machine; without it the suites that need it say so and are skipped. */
export const hasChromium = haveAll([CHROMIUM]);
if (!hasChromium)
  process.stderr.write('SKIPPED: no Chromium here (apt-get install chromium); the live page is seen in no browser\n');

export interface OpenPage {
  page: Page;
  /** What the page complained of: errors of scripts and on the console, breaches of its policy, requests to other origins. */
  complaints: string[];
}

export interface PageOptions {
  width?: number;
  height?: number;
  colorScheme?: 'light' | 'dark';
}

/** A browser with nothing in it, as a reader's. */
export class TestBrowser implements AsyncDisposable {
  readonly #browser: Browser;

  private constructor(browser: Browser) {
    this.#browser = browser;
  }

  static async start(): Promise<TestBrowser> {
    return new TestBrowser(
      await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox', '--disable-gpu'] }),
    );
  }

  /** Opens the live page in a profile of its own. */
  async open(url: string, { width = 1440, height = 900, colorScheme = 'light' }: PageOptions = {}): Promise<OpenPage> {
    const context = await this.#browser.newContext({ viewport: { width, height }, colorScheme });
    const page = await context.newPage();
    const complaints: string[] = [];
    page.on('pageerror', (error) => complaints.push(`error: ${error.stack ?? error.message}`));
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) complaints.push(`console: ${message.text()}`);
    });
    const { origin } = new URL(url);
    page.on('request', (request) => {
      const to = new URL(request.url());
      if (to.protocol !== 'data:' && to.origin !== origin) complaints.push(`request: ${request.url()}`);
    });
    await page.addInitScript(axe.source);
    await page.goto(url);
    return { page, complaints };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#browser.close();
  }
}

/** Shows figures of a gateway that it hears at this moment. */
export async function isLive(page: Page): Promise<void> {
  await page.locator('#connection[data-kind="live"]').waitFor();
  await page
    .locator('#throughput-value')
    .filter({ hasText: /\d|No traffic/ })
    .waitFor();
}

export async function textOf(page: Page, selector: string): Promise<string> {
  return ((await page.locator(selector).textContent()) ?? '').trim();
}

/** A figure as it is shown, thousands and all. */
export async function figureOf(page: Page, selector: string): Promise<number> {
  return Number((await textOf(page, selector)).replace(/[^0-9.]/g, ''));
}

/** Accessibility as axe-core sees it; the violations, each with the elements that it is about. */
export async function axeViolations(page: Page): Promise<string[]> {
  return await page.evaluate<string[]>(`axe
    .run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] })
    .then(({ violations }) => violations.map(({ id, nodes }) =>
      id + ': ' + nodes.map(({ target, failureSummary }) => target.join(' ') + ' (' + failureSummary + ')').join(', ')))`);
}

/** How many pixels of a canvas are painted: 0 is one on which nothing was drawn. */
export async function paintedPixels(page: Page, selector: string): Promise<number> {
  return await page.evaluate<number>(`(() => {
    const canvas = document.querySelector(${JSON.stringify(selector)});
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    let painted = 0;
    for (let at = 3; at < data.length; at += 4) if (data[at] > 0) painted += 1;
    return painted;
  })()`);
}

/** Until the claim holds; throws what it last said when that takes too long. */
export async function eventually(claim: () => Promise<void>, timeoutMs = 20_000): Promise<void> {
  const untilMs = performance.now() + timeoutMs;
  for (;;) {
    try {
      return await claim();
    } catch (error) {
      if (performance.now() > untilMs) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, 150));
  }
}
