// Runs inside the measured process (`node --import`): how long one turn of its event loop takes at most. While it
// measures, an immediate is always due, so that no turn waits for anything: the time between two of them is work.
// A turn counts with its CPU time where that is less than its wall time: others on the machine that take the core
// away are not the process's doing. Plain JavaScript, so that no loader of TypeScript stands beside.
let isMeasuring = false;
let longestMs = 0;
let lastMs = 0;
let lastCpuMs = 0;

process.on('message', (question) => {
  isMeasuring = question.kind === 'begin';
  if (isMeasuring) {
    longestMs = 0;
    lastMs = performance.now();
    lastCpuMs = cpuMs();
    setImmediate(turn);
  }
  process.send({ longestMs });
});

function turn() {
  const nowMs = performance.now();
  const nowCpuMs = cpuMs();
  longestMs = Math.max(longestMs, Math.min(nowMs - lastMs, nowCpuMs - lastCpuMs));
  lastMs = nowMs;
  lastCpuMs = nowCpuMs;
  if (isMeasuring) setImmediate(turn);
}

/** Of all threads; what the collector does beside is bounded by the wall time. */
function cpuMs() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
