/** Grafana's own types, of the version in docker-compose.yml. */
import type {
  Dashboard,
  FieldConfig,
  FieldConfigSource,
  GraphFieldConfig,
  Panel,
  RowPanel,
  TableFieldOptions,
} from '@grafana/schema';
import type { Options as StatOptions } from '@grafana/schema/dist/types/raw/composable/stat/panelcfg/x/StatPanelCfg_types.gen.d.ts';
import type { Options as TableOptions } from '@grafana/schema/dist/types/raw/composable/table/panelcfg/x/TablePanelCfg_types.gen.d.ts';
import type { Options as GraphOptions } from '@grafana/schema/dist/types/raw/composable/timeseries/panelcfg/x/TimeSeriesPanelCfg_types.gen.d.ts';

/** The JSON form: an enumeration's member is its value. */
type InJson<T> = T extends string ? `${T}` : T extends object ? { [Key in keyof T]: InJson<T[Key]> } : T;

/** A panel of the kind, with options and fields as its plugin reads them; what places it comes with the dashboard. */
interface PanelOf<Kind extends string, Options, Fields> {
  type: Kind;
  targets: Record<string, unknown>[];
  transformations?: { id: string; options: Record<string, unknown> }[];
  options: InJson<Options>;
  fieldConfig: InJson<
    Omit<FieldConfigSource, 'defaults'> & { defaults: Omit<FieldConfig, 'custom'> & { custom?: Fields } }
  >;
}

export type GrafanaDashboard = InJson<Dashboard>;
export type GrafanaPanel = InJson<Panel | RowPanel>;
export type GrafanaStat = PanelOf<'stat', StatOptions, never>;
export type GrafanaGraph = PanelOf<'timeseries', GraphOptions, GraphFieldConfig>;
export type GrafanaTable = PanelOf<'table', TableOptions, Partial<TableFieldOptions>>;
