import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { finalStage, IMAGE_INSTRUCTIONS, IMAGE_STAGES, imageEnvironment, portOf } from '../helpers/image.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const text = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const manifest: { bin: { pitot: string }; scripts: { build: string } } = JSON.parse(text('package.json'));

describe('the image', () => {
  it('is made of pinned parts, and every stage of the same Node, 24 or newer', () => {
    const [argument] = IMAGE_INSTRUCTIONS;
    expect(argument).toMatchObject({ word: 'ARG', rest: expect.stringMatching(/^NODE_IMAGE=node:\d+\.\d+\.\d+-/) });
    expect(Number(argument?.rest.match(/node:(\d+)/)?.[1])).toBeGreaterThanOrEqual(24);
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the text of the Dockerfile
    for (const index of IMAGE_STAGES) expect(IMAGE_INSTRUCTIONS[index]?.rest).toContain('${NODE_IMAGE}');
  });

  it('starts what package.json calls pitot, without a shell between it and its signals', () => {
    expect(finalStage('ENTRYPOINT').map((line) => JSON.parse(line))).toEqual([['node', manifest.bin.pitot]]);
    expect(finalStage('CMD').map((line) => JSON.parse(line))).toEqual([['serve']]);
  });

  it('exposes the ports it listens on', () => {
    const { PITOT_LISTEN, PITOT_ADMIN } = imageEnvironment;
    expect(finalStage('EXPOSE')).toEqual([`${portOf(PITOT_LISTEN)} ${portOf(PITOT_ADMIN)}`]);
    expect(finalStage('HEALTHCHECK')[0]).toContain('process.env.PITOT_ADMIN');
  });

  it('does not run as root', () => {
    expect(finalStage('USER')).toEqual(['node']);
  });

  it('holds the built product and what it needs to run, and no more', () => {
    expect(finalStage('COPY')).toEqual([
      'package.json LICENSE ./',
      '--from=packages /pitot/node_modules node_modules',
      '--from=build /pitot/dist dist',
    ]);
  });

  it('copies only what exists and what .dockerignore lets through', () => {
    const kept = text('.dockerignore')
      .split('\n')
      .filter((line) => line.startsWith('!'))
      .map((line) => line.slice(1));
    const copied = IMAGE_INSTRUCTIONS.filter(({ word, rest }) => word === 'COPY' && !rest.startsWith('--from')).flatMap(
      ({ rest }) => rest.split(' ').slice(0, -1),
    );
    expect(new Set(copied)).toEqual(new Set(kept));
    expect(copied.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
    expect(copied).toContain(manifest.scripts.build.split(' ')[1]);
  });
});
