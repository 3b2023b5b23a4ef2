import type { ServerResponse } from 'node:http';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { eventually, hasChromium, TestBrowser, textOf } from '../helpers/browser.ts';
import { CannedGateway } from '../helpers/canned-gateway.ts';
import { modelWith, requestWith, snapshotWith, upstreamWith } from '../helpers/page-snapshot.ts';

const HOSTILE = '<img src=x onerror="document.title=1"><script>document.title=2</script>';
const LONG = '模型🌍'.repeat(250);
const FLOOR = { output_tokens_per_second: 10, min_concurrency: 1, objective: 0.9, has_demand: true, share: 0.4 };
const PLANS = {
  plans: [{ upstream: 'a', model: 'of-an-earlier-question', interactive: null, batch: null, reason: 'none' }],
};

function running(...users: string[]) {
  return snapshotWith({
    status: 'flowing',
    in_flight: { prefill: 0, decode: users.length, unstreamed: 0 },
    requests: users.map((user, index) => requestWith({ id: String(index), user })),
  });
}

async function overflow(page: Page): Promise<number> {
  return await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
}

describe.skipIf(!hasChromium)('the live page, whatever it is told', { timeout: 120_000 }, () => {
  it('names of users, models and upstreams are text, and none is wider than the page', async () => {
    await using browser = await TestBrowser.start();
    await using gateway = new CannedGateway();
    const upstreams = [HOSTILE, LONG].map((name) =>
      upstreamWith({ name, conditions: { [HOSTILE]: LONG }, models: [modelWith({ model: name })] }),
    );
    const url = await gateway.start({ ...running(HOSTILE, LONG), upstreams, status_text: HOSTILE });
    const query = `?upstream=${encodeURIComponent(HOSTILE)}&model=${encodeURIComponent(LONG)}&sort_requests=__proto__`;
    const { page, complaints } = await browser.open(`${url}${query}`, { width: 390 });
    await eventually(async () => expect(await textOf(page, '#status-sentence')).toBe(HOSTILE));
    await page.locator('#filter-clear').click();
    await eventually(async () => expect(await textOf(page, '#requests tbody')).toContain(HOSTILE));
    expect(await page.locator('img, body script').count()).toBe(0);
    for (const width of [390, 1_024, 1_440]) {
      await page.setViewportSize({ width, height: 900 });
      await eventually(async () => expect(await overflow(page), `at ${width}`).toBeLessThanOrEqual(0));
    }
    expect(complaints).toEqual([]);
  });

  it('a row that becomes that of another keeps nothing of the one before', async () => {
    await using browser = await TestBrowser.start();
    await using gateway = new CannedGateway();
    const url = await gateway.start({
      ...running('a-user-with-a-rather-long-name'),
      upstreams: [upstreamWith({ name: 'a', floor: FLOOR })],
    });
    const { page } = await browser.open(url);
    const user = page.locator('#requests tbody .cell-text').first();
    await eventually(async () => expect(await user.getAttribute('title')).toBe('a-user-with-a-rather-long-name'));
    expect(await page.locator('#upstreams .share-bar:visible').count()).toBe(1);
    gateway.tell({ ...running('ann'), upstreams: [upstreamWith({ name: 'b' })] });
    await eventually(async () => expect(await user.textContent()).toBe('ann'));
    expect(await user.getAttribute('title')).toBeNull();
    expect(await page.locator('#upstreams .share-bar:visible').count()).toBe(0);
  });

  it('in a tab that is not seen, and so draws nothing, the title is still true', async () => {
    await using browser = await TestBrowser.start();
    const gateway = new CannedGateway();
    const rates = { '1s': 300, '10s': 200, '60s': 100 };
    const flowing = (given = rates) => {
      const snapshot = running('ann');
      return { ...snapshot, throughput: { ...snapshot.throughput, tokens_per_second: given } };
    };
    const { page } = await browser.open(await gateway.start(flowing()));
    await eventually(async () => expect(await page.title()).toBe('200 tok/s · Pitot'));
    await page.evaluate('void (window.requestAnimationFrame = () => 1)');
    gateway.tell(flowing({ ...rates, '10s': 150 }));
    await eventually(async () => expect(await page.title()).toBe('150 tok/s · Pitot'));
    await gateway[Symbol.asyncDispose]();
    await eventually(async () => expect(await page.title()).toBe('No connection · Pitot'));
  });

  it('no plan stands under a question that it does not answer', async () => {
    await using browser = await TestBrowser.start();
    await using gateway = new CannedGateway();
    const asked: ServerResponse[] = [];
    gateway.plan = (response) => asked.push(response);
    const { page } = await browser.open(`${await gateway.start(snapshotWith())}?tokens_per_day=100M`);
    await eventually(async () => expect(asked).toHaveLength(1));
    await page.locator('#plan-tokens').fill('');
    await eventually(async () => expect(page.url()).not.toContain('tokens_per_day'));
    asked[0]?.end(JSON.stringify(PLANS));
    gateway.plan = (response) => response.end(JSON.stringify(PLANS));
    await page.locator('#plan-tokens').fill('200M');
    await eventually(async () => expect(await textOf(page, '#plans')).toContain('of-an-earlier-question'));
    gateway.plan = (response) => response.destroy();
    await page.locator('#plan-tokens').fill('300M');
    await eventually(async () => expect(await textOf(page, '#plan-message')).toContain('did not answer'));
    expect(await textOf(page, '#plans')).toBe('');
    await page.locator('#plan-tokens').fill('');
    await eventually(async () => expect(await textOf(page, '#plan-message')).toBe(''));
  });

  it('is loaded anew when another version answers', async () => {
    await using browser = await TestBrowser.start();
    await using gateway = new CannedGateway();
    const { page } = await browser.open(await gateway.start(snapshotWith()));
    await eventually(async () => expect(await textOf(page, '#build')).toContain('Pitot 1.2.3'));
    const { gateway: old } = snapshotWith();
    gateway.tell(snapshotWith({ gateway: { ...old, version: '1.3.0' } }));
    await eventually(async () => expect(await textOf(page, '#build')).toContain('Pitot 1.3.0'));
    expect(gateway.pagesServed).toBe(2);
  });

  it('garbage in the stream is a lost connection, and the page recovers', async () => {
    await using browser = await TestBrowser.start();
    await using gateway = new CannedGateway();
    const { page, complaints } = await browser.open(await gateway.start(running('ann')));
    await eventually(async () => expect(await textOf(page, '#connection')).toBe('Live'));
    await page.evaluate(`(() => {
      window.kinds = [];
      const sign = document.querySelector('#connection');
      new MutationObserver(() => window.kinds.push(sign.dataset.kind)).observe(sign, { attributes: true });
    })()`);
    gateway.raw(Buffer.from([0xff, 0xfe, 0x0a, 0x0a]));
    gateway.raw('event: nobody-knows-it\r\ndata: {}\r\n\r\nevent: snapshot\ndata: {"half": \n\n');
    await eventually(async () => expect(await page.evaluate('window.kinds')).toEqual(['lost', 'live']));
    expect(await textOf(page, '#requests tbody th')).toBe('ann');
    expect(complaints).toEqual([]);
  });
});
