import { Agent } from 'node:http';
import type { CDPSession, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { eventually, hasChromium, isLive, TestBrowser, textOf } from '../helpers/browser.ts';
import { chat } from '../helpers/chat-client.ts';
import { PacedUpstream } from '../helpers/paced-upstream.ts';
import { PitotProcess } from '../helpers/pitot-process.ts';

const RUNNING = 1_000;
const REFRESHES = 12;
/** What a refresh may cost, in milliseconds of the page's own thread, and not of a machine that others use as well. */
const MOST_SCRIPTING_MS = 50;

type Costs = Record<'ScriptDuration' | 'LayoutDuration' | 'RecalcStyleDuration' | 'TaskDuration', number>;

async function costs(session: CDPSession): Promise<Costs> {
  const { metrics } = await session.send('Performance.getMetrics');
  const of = (name: string) => (metrics.find((metric) => metric.name === name)?.value ?? 0) * 1_000;
  return {
    ScriptDuration: of('ScriptDuration'),
    LayoutDuration: of('LayoutDuration'),
    RecalcStyleDuration: of('RecalcStyleDuration'),
    TaskDuration: of('TaskDuration'),
  };
}

/** Mean milliseconds of each kind of work for one refresh. */
async function costOfRefreshes(page: Page, session: CDPSession): Promise<Costs> {
  const before = await costs(session);
  await page.waitForTimeout(REFRESHES * 1_000);
  const after = await costs(session);
  const mean = (name: keyof Costs) => (after[name] - before[name]) / REFRESHES;
  return {
    ScriptDuration: mean('ScriptDuration'),
    LayoutDuration: mean('LayoutDuration'),
    RecalcStyleDuration: mean('RecalcStyleDuration'),
    TaskDuration: mean('TaskDuration'),
  };
}

describe.skipIf(!hasChromium)('the live page under load', () => {
  it(`${RUNNING} running requests do not make it sluggish`, { timeout: 180_000 }, async () => {
    await using upstream = new PacedUpstream({ everyMs: 500, tokensPerChunk: 4 });
    await using pitot = await PitotProcess.serve(['--upstream', await upstream.start()]);
    await using browser = await TestBrowser.start();
    const agent = new Agent();
    const running = Array.from({ length: RUNNING }, () => chat(pitot.url, { chunks: 20_000, agent }));
    const { page, complaints } = await browser.open(`http://${pitot.admin}/`);
    await isLive(page);
    await eventually(async () => expect(await textOf(page, '#in-flight-value')).toBe('1,000'), 60_000);
    // All that is sent is shown: 200 rows, the slowest first.
    const more = page.locator('#requests').getByRole('button', { name: 'Show more' });
    while (await more.isVisible()) await more.click();
    await eventually(async () => expect(await page.locator('#requests tbody tr').count()).toBe(200));
    expect(await textOf(page, '#requests .shown-count')).toBe('200 of 1,000');
    const session = await page.context().newCDPSession(page);
    await session.send('Performance.enable', { timeDomain: 'threadTicks' });
    const cost = await costOfRefreshes(page, session);
    process.stderr.write(`a refresh with ${RUNNING} running requests, in ms: ${JSON.stringify(cost)}\n`);
    expect(cost.ScriptDuration).toBeGreaterThan(0);
    expect(cost.ScriptDuration).toBeLessThan(MOST_SCRIPTING_MS);
    expect(complaints).toEqual([]);
    agent.destroy();
    await Promise.all(running);
  });
});
