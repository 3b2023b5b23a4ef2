import { existsSync, readdirSync, readFileSync } from 'node:fs';

/** What the operating system (Linux, /proc) says about a process and all its descendants, and about the machine. */

/** USER_HZ: the unit of /proc/PID/stat, 100 on every Linux that Node runs on (proc(5)). */
const TICKS_PER_SECOND = 100;

/**
 * CPU time spent so far, user and system, of all threads. From schedstat, which counts nanoseconds; a kernel
 * without it is asked for ticks of 10 ms, which wants measurements of 5 s and more.
 */
export function cpuTimeMs(pid: number): number {
  return sum(treeOf(pid).map((member) => scheduledMs(member) ?? tickedMs(member)));
}

/** VmRSS: pages held in memory, shared ones included. */
export function residentBytes(pid: number): number {
  return sum(
    treeOf(pid).map((member) => 1024 * Number(/^VmRSS:\s+(\d+) kB/m.exec(read(`/proc/${member}/status`))?.[1] ?? 0)),
  );
}

/** Busy time of all cores since the start of the machine: all but idle and waiting for disks (proc(5), /proc/stat). */
export function machineBusyMs(): number {
  const [user, nice, system, , , irq, softirq, steal] = read('/proc/stat').split(/\s+/).slice(1, 9).map(Number);
  const ticks = sum([user, nice, system, irq, softirq, steal].map((part) => part ?? 0));
  return (ticks * 1000) / TICKS_PER_SECOND;
}

function treeOf(pid: number): number[] {
  const children = threadsOf(pid).flatMap((thread) =>
    read(`/proc/${pid}/task/${thread}/children`).split(' ').filter(Boolean).map(Number),
  );
  return [pid, ...children.flatMap(treeOf)];
}

function threadsOf(pid: number): string[] {
  const directory = `/proc/${pid}/task`;
  return existsSync(directory) ? readdirSync(directory) : [];
}

function scheduledMs(pid: number): number | null {
  const onCpu = threadsOf(pid).map((thread) => Number(read(`/proc/${pid}/task/${thread}/schedstat`).split(' ')[0]));
  const total = sum(onCpu);
  return total > 0 ? total / 1e6 : null;
}

function tickedMs(pid: number): number {
  // The name of the command, in parentheses, may hold spaces: count fields after it.
  const fields = read(`/proc/${pid}/stat`)
    .replace(/^.*\) /s, '')
    .split(' ');
  return ((Number(fields[11] ?? 0) + Number(fields[12] ?? 0)) * 1000) / TICKS_PER_SECOND;
}

/** Empty where the process or thread has just ended. */
function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
