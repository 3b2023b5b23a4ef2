import { chmod, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { Curves, type KnownCurve } from '../../src/curve/curves.ts';
import { StateFile } from '../../src/curve/state-file.ts';
import { readState, stateOf } from '../../src/curve/state-format.ts';
import { curveBin } from '../helpers/curve-bins.ts';
import { ManualClock } from '../helpers/manual-clock.ts';
import { tempDir } from '../helpers/temp-dir.ts';

const CURVE: KnownCurve = {
  upstream: 'a',
  conditions: {},
  gpus: 1,
  bins: [curveBin({ concurrency: 8, tokensPerSecond: 500 })],
};

/** A state file of curves that are simply there; closed with the test. */
function newState(curves: readonly KnownCurve[] = [CURVE]) {
  const restored: KnownCurve[] = [];
  const warnings: string[] = [];
  const memory = { learned: 1, curves };
  const file = new StateFile({
    clock: new ManualClock(),
    curves: () => memory.curves,
    learned: () => memory.learned,
    restore: (known) => restored.push(...known),
    warn: (fields, message) => warnings.push(`${message} ${JSON.stringify(fields)}`),
  });
  return { file, memory, restored, warnings, [Symbol.asyncDispose]: () => file.close() };
}

describe('operating curves over a restart', () => {
  it('are as they were', async () => {
    await using folder = await tempDir();
    const path = folder.file('curves.json');
    const before = newState();
    before.file.configure(path);
    await before.file.close();
    await using after = newState([]);
    after.file.configure(path);
    expect(after.restored.map(stateOf)).toEqual([stateOf(CURVE)]);
    expect([...before.warnings, ...after.warnings]).toEqual([]);
    expect(await readdir(folder.path)).toEqual(['curves.json']);
    expect((await stat(path)).mode & 0o007).toBe(0);
  });

  it('of two processes that have the same number and the same file are one or the other, whole', async () => {
    await using folder = await tempDir();
    const path = folder.file('curves.json');
    const states = [newState(), newState()];
    for (const { file } of states) file.configure(path);
    for (let round = 2; round < 20; round += 1) {
      for (const { memory } of states) memory.learned = round;
      await Promise.all(states.map(({ file }) => file.save()));
      expect(readState(await readFile(path, 'utf8'))).toHaveLength(1);
    }
    for (const { file, warnings } of states) {
      await file.close();
      expect(warnings).toEqual([]);
    }
    expect(await readdir(folder.path)).toEqual(['curves.json']);
  });

  it('a reload onto a file that knows more takes that over before it writes there', async () => {
    await using folder = await tempDir();
    const path = folder.file('curves.json');
    const rich = newState([{ ...CURVE, bins: [curveBin({ concurrency: 8, tokensPerSecond: 500, windows: 900 })] }]);
    rich.file.configure(path);
    await rich.file.close();
    const curves = new Curves(new ManualClock(), []);
    curves.restore([{ ...CURVE, bins: [curveBin({ concurrency: 1, tokensPerSecond: 20, windows: 1 })] }]);
    const file = new StateFile({
      clock: new ManualClock(),
      curves: () => curves.all(),
      learned: () => 1,
      restore: (known) => curves.restore(known),
      warn: () => {},
    });
    file.configure(path);
    await file.close();
    const [curve] = readState(await readFile(path, 'utf8'));
    expect(curve?.bins.map(({ concurrency, windows }) => [concurrency, windows])).toEqual([
      [1, 1],
      [8, 900],
    ]);
  });

  it('begin anew behind a faulty file, which is kept and said once', async () => {
    await using folder = await tempDir();
    const path = folder.file('curves.json');
    await writeFile(path, '{"format":"pitot operating curves","version":1,"cur');
    await using state = newState();
    state.file.configure(path);
    expect(state.restored).toEqual([]);
    expect(state.warnings).toEqual([
      expect.stringContaining('the file of operating curves is faulty: they begin anew'),
    ]);
    expect(await readFile(`${path}.faulty`, 'utf8')).toContain('"cur');
    await state.file.save();
    expect(JSON.parse(await readFile(path, 'utf8'))).toMatchObject({ version: 1 });
    expect(state.warnings).toHaveLength(1);
  });

  it('a first start, without a file, is nothing to warn of', async () => {
    await using folder = await tempDir();
    await using state = newState();
    state.file.configure(folder.file('new.json'));
    expect(state.warnings).toEqual([]);
  });

  it('a folder that does not exist is said once, not every minute', async () => {
    await using folder = await tempDir();
    await using state = newState();
    state.file.configure(folder.file('none/curves.json'));
    await state.file.save();
    await state.file.save();
    expect(state.warnings).toEqual([expect.stringContaining('operating curves cannot be saved')]);
  });

  it.skipIf(process.getuid?.() === 0)('a file that may not be read is left alone', async () => {
    await using folder = await tempDir();
    const path = folder.file('curves.json');
    await writeFile(path, '{}');
    await chmod(path, 0o000);
    await using state = newState();
    state.file.configure(path);
    expect(state.warnings).toEqual([expect.stringContaining('cannot be read')]);
  });

  it('a start that learned nothing writes nothing: another process may have newer ones there', async () => {
    await using folder = await tempDir();
    const path = folder.file('curves.json');
    await writeFile(path, '');
    const state = newState();
    state.memory.learned = 0;
    state.file.configure(path);
    await writeFile(path, 'of another process');
    await state.file.close();
    expect(await readFile(path, 'utf8')).toBe('of another process');
  });

  it('a reload that names another file leaves the old one whole, and goes on in the new one', async () => {
    await using folder = await tempDir();
    await using state = newState();
    state.file.configure(folder.file('old.json'));
    state.file.configure(folder.file('new.json'));
    await state.file.save();
    for (const name of ['old.json', 'new.json'])
      expect(JSON.parse(await readFile(folder.file(name), 'utf8'))).toMatchObject({ curves: [{ upstream: 'a' }] });
  });

  it('two saves at once leave one whole file', async () => {
    await using folder = await tempDir();
    await using state = newState(Array.from({ length: 50 }, (_, index) => ({ ...CURVE, upstream: `u${index}` })));
    state.file.configure(folder.file('curves.json'));
    const first = state.file.save();
    state.memory.learned = 2;
    await Promise.all([first, state.file.save()]);
    expect(JSON.parse(await readFile(folder.file('curves.json'), 'utf8')).curves).toHaveLength(50);
    expect(await readdir(folder.path)).toEqual(['curves.json']);
  });
});
