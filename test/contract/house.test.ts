import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = resolve(import.meta.dirname, '../..');
const LONGEST_FILE_LINES = 400;

/** Every file that git tracks or would track, so that a test run before a commit sees what the commit will hold. */
const FILES = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '-z'], { cwd: ROOT })
  .toString()
  .split('\0')
  .filter((path) => path !== '' && existsSync(join(ROOT, path)));
const SOURCES = FILES.filter((path) => path.startsWith('src/'));
const text = (path: string) => readFileSync(join(ROOT, path), 'utf8');

/** `path:line` of every line that a pattern matches. */
function places(paths: readonly string[], pattern: RegExp): string[] {
  return paths.flatMap((path) =>
    text(path)
      .split('\n')
      .flatMap((line, index) => (pattern.test(line) ? [`${path}:${index + 1}`] : [])),
  );
}

describe('the house rules that no tool checks', () => {
  it('a source file has one idea: 400 lines at most', () => {
    const long = SOURCES.filter((path) => text(path).split('\n').length - 1 > LONGEST_FILE_LINES);
    expect(long).toEqual([]);
  });

  it('every room says what may live in it', () => {
    const rooms = new Set(SOURCES.filter((path) => path.split('/').length > 2).map((path) => path.split('/')[1]));
    const silent = [...rooms].filter((room) => !SOURCES.includes(`src/${room}/README.md`));
    expect(silent).toEqual([]);
  });

  it('no source file is named after nothing in particular', () => {
    expect(SOURCES.filter((path) => /(^|-)(utils?|helpers?|common|manager|misc)(-|\.)/.test(basename(path)))).toEqual(
      [],
    );
  });

  it('nothing is left to be done later in silence', () => {
    const code = FILES.filter((path) => /^(src|scripts|test|\.ci)\//.test(path));
    expect(places(code, /\b(TO[D]O|FIX[M]E|XX[X])\b/)).toEqual([]);
  });

  it('nothing is tied to one machine or one package mirror', () => {
    const isOwn = /(^|[^\w.-])\/(work|farm|root)\/|registry\.(npmjs|yarnpkg)|pypi\.org|deb\.debian\.org/;
    expect(places(FILES, isOwn)).toEqual([]);
  });

  it('types are not talked out of their doubts', () => {
    const code = FILES.filter((path) => /\.(ts|mts)$/.test(path));
    expect(places(code, /@ts-(ignore|nocheck|expect-error)\b|\bas an[y]\b/)).toEqual([]);
  });
});

describe('package.json', () => {
  const manifest: {
    scripts: Record<string, string>;
    bin: Record<string, string>;
    dependencies: Record<string, string>;
    devDependencies: Record<string, string>;
  } = JSON.parse(text('package.json'));

  it('pins every dependency to one version', () => {
    const all = Object.entries({ ...manifest.dependencies, ...manifest.devDependencies });
    expect(all.filter(([, version]) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))).toEqual([]);
  });

  it('runs nothing when it is installed', () => {
    const hooks = ['preinstall', 'install', 'postinstall', 'prepare'];
    expect(Object.keys(manifest.scripts).filter((name) => hooks.includes(name))).toEqual([]);
  });

  it('has no script that runs a file which is not there', () => {
    const named = Object.values(manifest.scripts).flatMap((script) => script.match(/\b(scripts|src)\/[\w./-]+/g) ?? []);
    expect(named.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  });

  it('installs the command `pitot`, a program that a shell can start', () => {
    expect(manifest.bin).toEqual({ pitot: 'dist/main.js' });
    expect(text('src/main.ts').split('\n')[0]).toBe('#!/usr/bin/env node');
  });
});
