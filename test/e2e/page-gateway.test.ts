import { writeFile } from 'node:fs/promises';
import { Agent } from 'node:http';
import { describe, expect, it } from 'vitest';
import type { Snapshot } from '../../src/live/snapshot-type.ts';
import { rate, whole } from '../../src/page/text/format.ts';
import { axeViolations, eventually, figureOf, hasChromium, isLive, TestBrowser, textOf } from '../helpers/browser.ts';
import { chat } from '../helpers/chat-client.ts';
import { freePort } from '../helpers/free-port.ts';
import { PacedUpstream } from '../helpers/paced-upstream.ts';
import { PitotProcess } from '../helpers/pitot-process.ts';
import { tempDir } from '../helpers/temp-dir.ts';

/** 4 streams of 20 chunks a second with 4 tokens each: 320 tokens a second in all, 80 for each user. */
const STREAMS = 4;
const PACE = { everyMs: 50, tokensPerChunk: 4 };
const FOR_EVER = 20_000;

const TOKEN = 'a-secret-of-the-operator';

describe.skipIf(!hasChromium)('the live page in front of a gateway', () => {
  it('its numbers are those of /api/snapshot and of /metrics', { timeout: 120_000 }, async () => {
    await using upstream = new PacedUpstream(PACE);
    await using pitot = await PitotProcess.serve(['--upstream', await upstream.start()]);
    await using browser = await TestBrowser.start();
    const agent = new Agent();
    await chat(pitot.url, { chunks: 40, agent });
    const running = Array.from({ length: STREAMS }, () => chat(pitot.url, { chunks: FOR_EVER, agent }));
    const { page, complaints } = await browser.open(`http://${pitot.admin}/`);
    await isLive(page);
    const near = (figure: number, other: number) => expect(Math.abs(figure / other - 1)).toBeLessThan(0.05);
    await eventually(async () => {
      const snapshot = (await (await fetch(`http://${pitot.admin}/api/snapshot`)).json()) as Snapshot;
      const shown = await figureOf(page, '#throughput-value');
      near(shown, 320);
      near(shown, snapshot.throughput.tokens_per_second['10s'] ?? 0);
      near(shown, await pitot.metric('pitot_throughput_tokens_per_second', 'window="10s",mode="effective"'));
      expect(await textOf(page, '#in-flight-value')).toBe(whole(STREAMS));
      expect(await pitot.metric('pitot_requests_in_flight')).toBe(STREAMS);
      expect(await textOf(page, '#in-flight-note')).toBe(`${whole(snapshot.requests_total)} done`);
      expect(await textOf(page, '#speed-value')).toBe(
        rate((snapshot.user_speed ?? snapshot.running_speed)?.p50 ?? null),
      );
      expect(await page.locator('#requests tbody tr').count()).toBe(STREAMS);
      expect(await textOf(page, '#requests tbody tr:first-child td:nth-of-type(1)')).toBe('paced');
    }, 40_000);
    agent.destroy();
    await Promise.all(running);
    // What flowed has ended: no zero takes the place of a figure.
    await eventually(async () => expect(await textOf(page, '#in-flight-value')).toBe('No traffic'));
    await eventually(async () => expect(await textOf(page, '#throughput-value')).toBe('No traffic'));
    await eventually(async () => expect(await textOf(page, '#failure-counts')).toContain(`client left${STREAMS}`));
    expect(complaints).toEqual([]);
  });

  it('says that the connection is lost, and recovers when the gateway is there again', {
    timeout: 120_000,
  }, async () => {
    await using upstream = new PacedUpstream(PACE);
    const url = await upstream.start();
    const ports = ['--listen', '127.0.0.1:0', '--admin', `127.0.0.1:${await freePort()}`];
    await using browser = await TestBrowser.start();
    let pitot = await PitotProcess.serve(['--upstream', url, ...ports]);
    const { page, complaints } = await browser.open(`http://${pitot.admin}/`);
    try {
      await isLive(page);
      await pitot[Symbol.asyncDispose]();
      await eventually(async () => expect(await textOf(page, '#status-sentence')).toContain('trying again'));
      expect(await textOf(page, '#status-word')).toBe('No connection');
      expect(await textOf(page, '#status-sentence')).toContain('What you see is of');
      expect(await textOf(page, '#announcer')).toBe('Connection lost, trying again');
      expect(await axeViolations(page)).toEqual([]);
      pitot = await PitotProcess.serve(['--upstream', url, ...ports]);
      await eventually(async () => expect(await textOf(page, '#connection')).toBe('Live'), 30_000);
      const agent = new Agent();
      await chat(pitot.url, { chunks: 40, agent });
      agent.destroy();
      await eventually(async () => expect(await textOf(page, '#in-flight-note')).toBe('1 done'));
      // The browser itself notes that nobody answered; the page has nothing to say beyond that.
      expect(complaints.filter((text) => !text.includes('net::ERR_'))).toEqual([]);
    } finally {
      await pitot[Symbol.asyncDispose]();
    }
  });

  it('asks for the admin token, and keeps it out of addresses, history, logs and lasting storage', {
    timeout: 120_000,
  }, async () => {
    await using folder = await tempDir();
    await using browser = await TestBrowser.start();
    const config = {
      upstreams: [{ name: 'u', url: 'http://127.0.0.1:9' }],
      admin: { listen: '127.0.0.1:0', token: TOKEN },
    };
    await writeFile(folder.file('pitot.yaml'), JSON.stringify({ listen: '127.0.0.1:0', ...config }));
    await using pitot = PitotProcess.run(['serve', '--config', folder.file('pitot.yaml')]);
    const ready = JSON.parse(await pitot.line((line) => line.includes('"msg":"listening"')));
    const { page, complaints } = await browser.open(`http://${ready.admin}/`);
    const addresses: string[] = [];
    page.on('request', (request) => addresses.push(request.url()));
    const field = page.locator('#token');
    await field.waitFor();
    expect(await page.locator('#main').isVisible()).toBe(false);
    expect(await axeViolations(page)).toEqual([]);
    await field.fill('not-the-token');
    await field.press('Enter');
    await eventually(async () => {
      expect(await textOf(page, '#sign-in-message')).toBe('The gateway does not take this token.');
    });
    await field.fill(TOKEN);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await isLive(page);
    expect(await field.inputValue()).toBe('');
    await page.reload();
    await isLive(page);
    const kept = 'JSON.stringify([location.href, document.cookie, { ...localStorage }, history.state, document.title])';
    expect(await page.evaluate<string>(kept)).not.toContain(TOKEN);
    expect(await page.content()).not.toContain(TOKEN);
    expect([...addresses, ...pitot.stdout, ...pitot.stderr].join('\n')).not.toContain(TOKEN);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await field.waitFor();
    expect(await page.evaluate<string>('JSON.stringify({ ...sessionStorage })')).not.toContain(TOKEN);
    expect(complaints.filter((text) => !text.includes('401'))).toEqual([]);
  });
});
