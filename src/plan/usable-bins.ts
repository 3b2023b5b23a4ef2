import { median } from '../curve/max-under-slo.ts';
import type { CurveBin } from '../curve/operating-curve.ts';

/** Where the mean is so much above the median, a plan by either would be of another traffic than what is there. */
const UNLIKE = 2;

/** The bins whose median says how much they make, and sentences on the others. */
export function usableBins(bins: readonly CurveBin[]): { usable: CurveBin[]; refused: string[] } {
  const silent = bins.filter((bin) => median(bin) === 0);
  const unlike = bins.filter((bin) => median(bin) > 0 && (bin.throughput.mean() ?? 0) > UNLIKE * median(bin));
  return {
    usable: bins.filter((bin) => !silent.includes(bin) && !unlike.includes(bin)),
    refused: [
      ...sentence(silent, (at) => `no token came in most of the windows at concurrency ${at}`),
      ...sentence(
        unlike,
        (at) =>
          `the windows are too unlike at concurrency ${at}: their mean throughput is more than twice their median`,
      ),
    ],
  };
}

function sentence(bins: readonly CurveBin[], say: (at: string) => string): string[] {
  return bins.length === 0 ? [] : [say(bins.map(({ concurrency }) => concurrency).join(', '))];
}
