import {
  fillsTheGrid,
  isProvisioned,
  namesAreUnique,
  type Rule,
  saysWhatItIs,
  takesTheDatasourceVariable,
} from './panel-rules.ts';
import {
  denominatorsAreGuarded,
  metricsAndLabelsExist,
  noBucketIsNamed,
  quantilesAreNotAveraged,
  ratesHaveGrafanasWindow,
  replicasAreNotAddedUp,
  variablesAreUsed,
} from './query-rules.ts';

/** What every dashboard keeps, by a sentence for each rule. */
export const RULES: readonly (readonly [says: string, rule: Rule])[] = [
  ['takes its data source from the variable', takesTheDatasourceVariable],
  ['says of every panel what it is, its unit and what to do', saysWhatItIs],
  ['has ids, titles and letters only once', namesAreUnique],
  ['fills the grid without overlap', fillsTheGrid],
  ['is found by its tag and not changed in the page', isProvisioned],
  ['takes rates over the window that Grafana finds right', ratesHaveGrafanasWindow],
  ['works on no quantile', quantilesAreNotAveraged],
  ['divides by nothing that may be nothing', denominatorsAreGuarded],
  ['reads only metrics and labels that Pitot has', metricsAndLabelsExist],
  ['adds nothing up that replicas say of the same thing', replicasAreNotAddedUp],
  ['names no bucket', noBucketIsNamed],
  ['uses every variable it shows, and no other', variablesAreUsed],
];
