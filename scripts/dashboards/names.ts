/** Names that dashboards, provisioning files and deployments share. A contract test holds them together. */
export const DATASOURCE = { uid: 'pitot-prometheus', name: 'Pitot Prometheus' } as const;

/** The variable that every panel takes its data source from. */
export const DATASOURCE_VARIABLE = { type: 'prometheus', uid: '$' + '{datasource}' } as const;

export const FOLDER = { uid: 'pitot', name: 'Pitot' } as const;

/** Where the dashboards are inside Grafana's container. */
export const DASHBOARDS_PATH = '/var/lib/grafana/dashboards';

/** Every dashboard has it, and the links between them find each other by it. */
export const TAG = 'pitot';
