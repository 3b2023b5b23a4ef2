import { COST } from './cost/cost.ts';
import { OPERATOR } from './operator/operator.ts';
import type { Dashboard } from './panel.ts';
import { SLO } from './slo/slo.ts';
import { USERS } from './users/users.ts';

export const DASHBOARDS: readonly Dashboard[] = [OPERATOR, USERS, COST, SLO];
