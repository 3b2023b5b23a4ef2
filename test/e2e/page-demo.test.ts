import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Snapshot } from '../../src/live/snapshot-type.ts';
import {
  axeViolations,
  eventually,
  figureOf,
  hasChromium,
  isLive,
  type OpenPage,
  type PageOptions,
  paintedPixels,
  TestBrowser,
  textOf,
} from '../helpers/browser.ts';
import { PitotProcess } from '../helpers/pitot-process.ts';

const DEMO = ['demo', '--listen', '127.0.0.1:0', '--admin', '127.0.0.1:0'];

describe.skipIf(!hasChromium)('the live page in front of the demo', () => {
  let pitot: PitotProcess;
  let browser: TestBrowser;
  let origin = '';
  const opened: OpenPage[] = [];

  beforeAll(async () => {
    pitot = PitotProcess.run(DEMO);
    const ready = JSON.parse(await pitot.line((line) => line.includes('"msg":"listening"')));
    origin = `http://${ready.admin}`;
    browser = await TestBrowser.start();
    await eventually(async () => expect((await snapshot()).user_speed).not.toBeNull(), 60_000);
  });

  afterEach(async () => {
    const pages = opened.splice(0);
    for (const { page } of pages) await page.context().close();
    expect(pages.flatMap(({ complaints }) => complaints)).toEqual([]);
  });

  afterAll(async () => {
    await browser[Symbol.asyncDispose]();
    await pitot[Symbol.asyncDispose]();
  });

  async function open(query = '', options: PageOptions = {}) {
    const open = await browser.open(`${origin}/${query}`, options);
    opened.push(open);
    await isLive(open.page);
    return open.page;
  }

  async function snapshot(): Promise<Snapshot> {
    const answer = await fetch(`${origin}/api/snapshot`);
    return (await answer.json()) as Snapshot;
  }

  it('shows the two numbers, says how it goes, and that all of it is simulated', async () => {
    const page = await open();
    // The load has just begun: its first requests come one at a time, with moments of rest between them.
    await eventually(async () => {
      expect(await figureOf(page, '#throughput-value')).toBeGreaterThan(0);
      expect(await figureOf(page, '#speed-value')).toBeGreaterThan(0);
      expect(await textOf(page, '#status-word')).toMatch(/^(Flowing|Saturated|Under its floor)$/);
      expect(await page.title()).toMatch(/tok\/s · Pitot$/);
    });
    expect((await textOf(page, '#status-sentence')).length).toBeGreaterThan(10);
    expect(await page.locator('#simulation').isVisible()).toBe(true);
    expect(await page.locator('body').textContent()).not.toMatch(/NaN|undefined|Infinity|null/);
  });

  it('draws every chart, and says in words what each shows', async () => {
    const page = await open();
    await page.waitForTimeout(2_500);
    const count = await page.locator('#flow-charts canvas').count();
    expect(count).toBe(4);
    for (let index = 0; index < count; index += 1) {
      const chart = `#flow-charts figure:nth-of-type(${index + 1})`;
      expect(await paintedPixels(page, `${chart} canvas`)).toBeGreaterThan(500);
      expect(await page.locator(`${chart} .plot`).getAttribute('aria-label')).toMatch(/now, between .* and .*, mean/);
    }
    expect(await paintedPixels(page, '#throughput-spark canvas')).toBeGreaterThan(50);
    expect(await paintedPixels(page, '#speed-spark canvas')).toBeGreaterThan(50);
  });

  it('the cursor is shared: what it points at in one chart, all of them read', async () => {
    const page = await open();
    await page.waitForTimeout(1_500);
    const over = page.locator('#flow-charts figure:nth-of-type(1) .u-over');
    const box = await over.boundingBox();
    if (box === null) throw new Error('the first chart has no place');
    await page.mouse.move(box.x + box.width - 2, box.y + 20);
    await eventually(async () => expect(await textOf(page, '#flow-time')).toMatch(/^at \d\d:\d\d:\d\d$/));
    const places = await page.evaluate<string[]>(
      `[...document.querySelectorAll('#flow-charts .u-cursor-x')].map(({ style }) => style.transform)`,
    );
    expect(places).toHaveLength(4);
    expect(new Set(places).size).toBe(1);
    await page.mouse.move(box.x, box.y - 200);
    await eventually(async () => expect(await textOf(page, '#flow-time')).toBe(''));
  });

  it('a chart can be read as a table, and the address says so', async () => {
    const page = await open();
    await page.getByRole('button', { name: 'Per-user speed as a table' }).press('Enter');
    const table = page.getByRole('group', { name: 'Per-user speed as a table' });
    await eventually(async () => expect(await table.locator('tbody tr').count()).toBeGreaterThan(0));
    expect(page.url()).toContain('as_table=speed');
    await page.reload();
    await isLive(page);
    expect(await page.getByRole('group', { name: 'Per-user speed as a table' }).isVisible()).toBe(true);
  });

  it('tables are sorted by keyboard, and a reload keeps the order', async () => {
    const page = await open();
    const head = page.locator('#users thead th', { hasText: 'Requests' });
    await head.getByRole('button').focus();
    await page.keyboard.press('Enter');
    await eventually(async () => expect(await head.getAttribute('aria-sort')).toBe('descending'));
    await page.keyboard.press('Space');
    await eventually(async () => expect(await head.getAttribute('aria-sort')).toBe('ascending'));
    const counts = (await page.locator('#users tbody td:nth-child(2)').allTextContents()).map((text) =>
      Number(text.replace(/,/g, '')),
    );
    expect(counts).toEqual([...counts].sort((a, b) => a - b));
    expect(page.url()).toContain('sort_users=requests');
    await page.reload();
    await isLive(page);
    expect(await head.getAttribute('aria-sort')).toBe('ascending');
  });

  it('the filter leaves what is of one upstream, stands in the address, and is undone', async () => {
    const page = await open('?upstream=elsewhere');
    expect(await page.locator('#filter-upstream').inputValue()).toBe('elsewhere');
    expect(await page.locator('#upstreams .empty').isVisible()).toBe(true);
    await page.locator('#filter-upstream').selectOption('demo-engine');
    await eventually(async () => expect(await page.locator('#upstreams tbody tr').count()).toBe(1));
    expect(page.url()).toContain('upstream=demo-engine');
    await page.getByRole('button', { name: 'Show all' }).click();
    await eventually(async () => expect(new URL(page.url()).search).toBe(''));
  });

  it('a pause holds every figure, and what came meanwhile is there when it goes on', async () => {
    const page = await open();
    await page.getByRole('button', { name: 'Pause' }).click();
    await eventually(async () => expect(await textOf(page, '#connection')).toBe('Paused'));
    const held = await textOf(page, '#main');
    await page.waitForTimeout(3_000);
    expect(await textOf(page, '#main')).toBe(held);
    await page.getByRole('button', { name: 'Resume' }).click();
    await eventually(async () => expect(await textOf(page, '#main')).not.toBe(held));
    expect(await textOf(page, '#connection')).toBe('Live');
  });

  it('the planner answers as /api/plan does, with its conditions, and its question stands in the address', async () => {
    const page = await open();
    await page.getByLabel('Output tokens a day').fill('100M');
    await page.getByLabel('TTFT target, seconds').fill('0.5');
    await page.getByRole('button', { name: 'Plan' }).click();
    await page.locator('.plan').first().waitFor();
    const { plans } = (await (await fetch(`${origin}/api/plan?tokens_per_day=1e8&ttft_slo=0.5`)).json()) as {
      plans: { model: string; batch: { gpus: number } | null; reason: string }[];
    };
    const shown = await textOf(page, '.plan');
    expect(shown).toContain(plans[0]?.model ?? 'a plan');
    expect(shown).toContain('observed at concurrency');
    expect(page.url()).toContain('tokens_per_day=100M');
    await page.getByLabel('Output tokens a day').fill('lots');
    await eventually(async () => expect(await textOf(page, '#plan-message')).toContain('a number above 0'));
  });

  it('light and dark follow the system, unless chosen; the choice is kept', async () => {
    const page = await open('', { colorScheme: 'dark' });
    const background = () => page.evaluate<string>('getComputedStyle(document.documentElement).backgroundColor');
    const dark = await background();
    const button = page.getByRole('button', { name: 'Theme' });
    await button.click();
    await eventually(async () => expect(await background()).not.toBe(dark));
    await page.reload();
    await isLive(page);
    expect(await background()).not.toBe(dark);
    await button.click();
    expect(await background()).toBe(dark);
    await page.emulateMedia({ colorScheme: 'light' });
    expect(await background()).toBe(dark);
    await button.click();
    expect(await background()).not.toBe(dark);
  });

  it.each(['light', 'dark'] as const)('axe-core finds nothing against it, %s', { timeout: 120_000 }, async (theme) => {
    const page = await open('?tokens_per_day=1e8&as_table=ttft', { colorScheme: theme });
    await page.locator('.plan').first().waitFor();
    expect(await axeViolations(page)).toEqual([]);
  });

  it('is read out only when the state changes', async () => {
    const page = await open();
    await page.evaluate(`new MutationObserver(() => { window.said = (window.said ?? 0) + 1 })
      .observe(document.getElementById('announcer'), { childList: true, characterData: true, subtree: true })`);
    const before = (await snapshot()).status;
    await page.waitForTimeout(3_000);
    if ((await snapshot()).status === before) expect(await page.evaluate('window.said ?? 0')).toBe(0);
    const live = await page.locator('[aria-live], [role="status"], [role="alert"], [role="log"]').count();
    expect(live).toBe(3);
  });

  it.each([1440, 1024, 390])('nothing is wider than a window of %d pixels', async (width) => {
    const page = await open('?tokens_per_day=1e8', { width });
    await page.locator('.plan').first().waitFor();
    expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
  });
});
