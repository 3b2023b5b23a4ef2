import { connect } from 'node:net';
import type { Child } from './child.ts';

/** Waits until a started program takes connections; throws what it said when it ended instead. */
export async function accepting(child: Child, port: number): Promise<void> {
  while (!(await accepts(port))) {
    if (child.process.exitCode !== null) throw new Error(`${child.process.spawnfile}: ${child.stderr.join(' | ')}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
