import { openSync, readSync } from 'node:fs';

/** What Node 23.9 and later have, and the types of Node 20 do not. */
interface NodeWithThreadClock {
  threadCpuUsage?: () => { user: number; system: number };
}

/** Of `schedstat`, three numbers and two spaces. */
const ACCOUNT_BYTES = 96;

/**
 * A clock of the CPU time that the calling thread has used, in milliseconds: it stands still while
 * other threads have the processor, so that a busy machine makes a count late and not short. Node's
 * own where it has one, else the account of Linux' scheduler, which is brought forward at every tick
 * (1 to 10 ms) and costs 2 µs to read. Where there is neither, time that passes is all there is.
 */
export function threadCpuTime(): () => number {
  return clockOfNode() ?? accountOfLinux() ?? (() => performance.now());
}

function clockOfNode(): (() => number) | null {
  // Only looked up: present or not, by the version that runs.
  const { threadCpuUsage } = process as NodeWithThreadClock;
  if (threadCpuUsage === undefined) return null;
  return () => {
    const { user, system } = threadCpuUsage();
    return (user + system) / 1_000;
  };
}

/** `/proc/thread-self/schedstat` begins with the nanoseconds that the thread has run. The file ends with its thread. */
function accountOfLinux(): (() => number) | null {
  const bytes = Buffer.alloc(ACCOUNT_BYTES);
  try {
    const file = openSync('/proc/thread-self/schedstat', 'r');
    const read = () => {
      readSync(file, bytes, 0, ACCOUNT_BYTES, 0);
      return Number.parseInt(bytes.toString('latin1'), 10) / 1_000_000;
    };
    return read() > 0 ? read : null;
  } catch {
    // Another system, or one that keeps no such account.
    return null;
  }
}
