import { type Headers, headerOf } from './headers.ts';

/** `workloads[].slo` as far as a request may replace it: milliseconds, `speed` in tokens per second; null: no target. */
export interface OverridableSlo {
  ttft: number | null;
  tpot: number | null;
  speed: number | null;
}

/** inference-perf's names for targets that travel with a request. */
const TTFT_HEADER = 'x-slo-ttft-ms';
const TPOT_HEADER = 'x-slo-tpot-ms';

/**
 * The targets with what the request says in their stead (`slo_override`). What is no positive number is ignored. Where
 * the workload names a speed, a time per token is said as the speed it stands for: they are one SLO, and stay one series.
 */
export function overriddenBy<S extends OverridableSlo>(headers: Headers, slo: S): S {
  const ttft = milliseconds(headers, TTFT_HEADER) ?? slo.ttft;
  const tpot = milliseconds(headers, TPOT_HEADER);
  if (tpot === null) return { ...slo, ttft };
  return slo.speed === null ? { ...slo, ttft, tpot } : { ...slo, ttft, speed: speedOf(tpot) };
}

/** To the thousandth to which speeds are told, and not above: who keeps the time keeps the speed. */
const speedOf = (tpotMs: number) => Math.floor(1_000_000 / tpotMs) / 1000;

function milliseconds(headers: Headers, name: string): number | null {
  const text = headerOf(headers, name)?.trim() ?? '';
  const ms = /^\d+(\.\d+)?$/.test(text) ? Number(text) : 0;
  return ms > 0 && Number.isFinite(ms) ? ms : null;
}
