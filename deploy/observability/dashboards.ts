/** One query of a panel, with the text of its series. */
export type Query = { readonly expr: string; readonly legend: string }

/** A graph over time. */
export type Panel = {
  readonly title: string
  readonly description: string
  /** A unit of Grafana. */
  readonly unit: 'reqps' | 'ops' | 's' | 'percentunit' | 'short' | 'bytes' | 'd'
  readonly queries: readonly Query[]
  /** Its first value comes with the first cleanup of the store, after 5 minutes. */
  readonly isLate?: true
}

export type Dashboard = {
  /** The name of the file, and the ID in Grafana. */
  readonly id: string
  readonly title: string
  readonly rows: readonly { readonly title: string; readonly panels: readonly Panel[] }[]
}

/** The time over which Grafana computes a rate: at least four scrapes. */
export const rateInterval = '$__rate_interval'

const rate = (series: string) => `rate(${series}[${rateInterval}])`
const quantile = (level: number, histogram: string, by: string) =>
  `histogram_quantile(${level}, sum by (${by}) (${rate(`${histogram}_bucket`)}))`
const sumBy = (label: string, series: string): Query => ({
  expr: `sum by (${label}) (${rate(series)})`,
  legend: `{{${label}}}`,
})
/** The part of all requests that has a label. */
const share = (counter: string, label: string, legend: string): Query => ({
  expr: `(sum(${rate(`${counter}{${label}}`)}) or vector(0)) / sum(${rate(counter)})`,
  legend,
})
const objective: Query = { expr: 'vector(0.001)', legend: 'objective' }

const idp = 'job="greeting-identity-provider"'
const api = 'job="greeting-api"'
const tokenRoutes = 'http_server_request_duration_seconds_bucket{http_route=~".*/token"}'
const latency = (level: number): Query => ({
  expr: `histogram_quantile(${level}, sum by (le) (${rate(tokenRoutes)}))`,
  legend: `p${level * 100}`,
})

/** What every Node process reports. */
const processPanels = (job: string): readonly Panel[] => [
  {
    title: 'Event loop delay',
    description: 'Above 250 ms, GreetingEventLoopBlocked fires.',
    unit: 's',
    queries: [{ expr: `nodejs_eventloop_lag_p99_seconds{${job}}`, legend: '{{instance}}' }],
  },
  {
    title: 'Processor',
    description: 'Cores that each server uses.',
    unit: 'short',
    queries: [{ expr: rate(`process_cpu_seconds_total{${job}}`), legend: '{{instance}}' }],
  },
  {
    title: 'Memory',
    description: 'Resident memory of each server.',
    unit: 'bytes',
    queries: [{ expr: `process_resident_memory_bytes{${job}}`, legend: '{{instance}}' }],
  },
]

export const dashboards: readonly Dashboard[] = [
  {
    id: 'greeting-identity-provider',
    title: 'Greeting: identity provider',
    rows: [
      {
        title: 'Tokens',
        panels: [
          {
            title: 'Token requests',
            description: 'By outcome. A refusal is a correct answer; a failure is not.',
            unit: 'reqps',
            queries: [sumBy('outcome', 'greeting_token_requests_total')],
          },
          {
            title: 'Refusals and failures',
            description: 'By reason.',
            unit: 'reqps',
            queries: [sumBy('reason', 'greeting_token_requests_total{outcome!="issued"}')],
          },
          {
            title: 'Failed requests',
            description: 'The part of all requests. The objective is 0.1 %.',
            unit: 'percentunit',
            queries: [
              share('greeting_token_requests_total', 'outcome="failed"', 'failed'),
              objective,
            ],
          },
          {
            title: 'Latency of token requests',
            description: 'The objective is 250 ms for 99 %.',
            unit: 's',
            queries: [latency(0.5), latency(0.95), latency(0.99)],
          },
          {
            title: 'Credentials',
            description: 'The kinds of credentials with which clients authenticate.',
            unit: 'reqps',
            queries: [sumBy('credential', 'greeting_token_requests_total')],
          },
          {
            title: 'Beyond the rate limit',
            description: 'Requests with wrong credentials that got 429.',
            unit: 'reqps',
            queries: [
              {
                expr: `sum(${rate('greeting_token_requests_throttled_total')})`,
                legend: 'throttled',
              },
            ],
          },
        ],
      },
      {
        title: 'Keys and credentials',
        panels: [
          {
            title: 'Signing keys',
            description: 'By phase. One is active, and at least one is announced.',
            unit: 'short',
            queries: [{ expr: 'max by (phase) (greeting_signing_keys)', legend: '{{phase}}' }],
          },
          {
            title: 'Days until a key leaves its phase',
            description: 'The next key of each phase.',
            unit: 'd',
            queries: [
              {
                expr: 'min by (phase) (greeting_signing_key_phase_end_seconds) / 86400',
                legend: '{{phase}}',
              },
            ],
          },
          {
            title: 'Duration of signatures',
            description: 'The 99th percentile.',
            unit: 's',
            queries: [
              { expr: quantile(0.99, 'greeting_signature_duration_seconds', 'le'), legend: 'p99' },
            ],
          },
          {
            title: 'Credentials that end within 30 days',
            description: 'Of all clients, by kind.',
            unit: 'short',
            isLate: true,
            queries: [{ expr: 'max by (kind) (greeting_credentials_ending)', legend: '{{kind}}' }],
          },
        ],
      },
      {
        title: 'Store',
        panels: [
          {
            title: 'Duration of accesses',
            description: 'The 99th percentile, by kind.',
            unit: 's',
            queries: [
              {
                expr: quantile(0.99, 'greeting_store_operation_duration_seconds', 'le, kind'),
                legend: '{{kind}}',
              },
            ],
          },
          {
            title: 'Accesses',
            description: 'By result.',
            unit: 'ops',
            queries: [sumBy('result', 'greeting_store_operation_duration_seconds_count')],
          },
          {
            title: 'Age of directory and keys',
            description: 'Above 1 s, a server issues nothing.',
            unit: 's',
            queries: [
              { expr: 'greeting_directory_age_seconds', legend: 'directory {{instance}}' },
              { expr: 'greeting_signing_keys_age_seconds', legend: 'keys {{instance}}' },
            ],
          },
          {
            title: 'Revision of the directory',
            description: 'All servers follow the same commit.',
            unit: 'short',
            queries: [{ expr: 'greeting_directory_revision', legend: '{{instance}}' }],
          },
          {
            title: 'Waiting and lost audit records',
            description: 'Above 50,000 waiting records, new ones are lost.',
            unit: 'short',
            queries: [
              { expr: 'greeting_audit_waiting_records', legend: 'waiting {{instance}}' },
              { expr: 'greeting_audit_dropped_records_total', legend: 'lost {{instance}}' },
            ],
          },
          {
            title: 'Size of the store',
            description: 'As of the last cleanup.',
            unit: 'bytes',
            isLate: true,
            queries: [{ expr: 'max(greeting_storage_bytes)', legend: 'store' }],
          },
        ],
      },
      { title: 'Processes', panels: processPanels(idp) },
    ],
  },
  {
    id: 'greeting-api',
    title: 'Greeting: API',
    rows: [
      {
        title: 'Decisions',
        panels: [
          {
            title: 'Requests',
            description: 'By outcome.',
            unit: 'reqps',
            queries: [sumBy('outcome', 'greeting_guard_decisions_total')],
          },
          {
            title: 'Refused requests',
            description: 'By reason.',
            unit: 'reqps',
            queries: [sumBy('reason', 'greeting_guard_decisions_total{outcome="refused"}')],
          },
          {
            title: 'Requests without a decision',
            description: 'The part of all requests. The objective is 0.1 %.',
            unit: 'percentunit',
            queries: [
              share('greeting_guard_decisions_total', 'reason="keys_unavailable"', 'no keys'),
              objective,
            ],
          },
          {
            title: 'Remembered tokens',
            description: 'Verified tokens in the cache.',
            unit: 'short',
            queries: [{ expr: 'greeting_guard_remembered_tokens', legend: '{{instance}}' }],
          },
        ],
      },
      {
        title: 'Keys',
        panels: [
          {
            title: 'Age of the key set',
            description: 'It is read at least once an hour. After 24 hours, the API answers 503.',
            unit: 's',
            queries: [{ expr: 'greeting_guard_key_set_age_seconds', legend: '{{instance}}' }],
          },
          {
            title: 'Usable keys',
            description: 'Keys that can verify tokens.',
            unit: 'short',
            queries: [{ expr: 'greeting_guard_keys', legend: '{{instance}}' }],
          },
          {
            title: 'Attempts to read the key set',
            description: 'By result.',
            unit: 'ops',
            queries: [sumBy('result', 'greeting_guard_key_set_refreshes_total')],
          },
        ],
      },
      { title: 'Processes', panels: processPanels(api) },
    ],
  },
]

const columns = 3
const [width, height] = [24 / columns, 8]

/** A dashboard in the format of Grafana, with a row of panels for each part. */
export function grafanaDashboard({ id, title, rows }: Dashboard): object {
  let y = 0
  const panels: object[] = []
  const next = () => panels.length + 1
  for (const row of rows) {
    panels.push({
      id: next(),
      type: 'row',
      title: row.title,
      collapsed: false,
      gridPos: { x: 0, y, w: 24, h: 1 },
      panels: [],
    })
    y += 1
    for (const [index, panel] of row.panels.entries()) {
      const place = { x: (index % columns) * width, y: y + Math.floor(index / columns) * height }
      panels.push({
        id: next(),
        type: 'timeseries',
        title: panel.title,
        description: panel.description,
        datasource: { type: 'prometheus', uid: '$datasource' },
        gridPos: { ...place, w: width, h: height },
        fieldConfig: { defaults: { unit: panel.unit, min: 0 }, overrides: [] },
        options: {
          legend: { displayMode: 'list', placement: 'bottom' },
          tooltip: { mode: 'multi', sort: 'desc' },
        },
        targets: panel.queries.map(({ expr, legend }, query) => ({
          refId: String.fromCharCode(65 + query),
          expr,
          legendFormat: legend,
        })),
      })
    }
    y += Math.ceil(row.panels.length / columns) * height
  }
  return {
    uid: id,
    title,
    tags: ['greeting'],
    schemaVersion: 41,
    editable: true,
    refresh: '30s',
    time: { from: 'now-3h', to: 'now' },
    templating: {
      list: [{ name: 'datasource', label: 'Data source', type: 'datasource', query: 'prometheus' }],
    },
    panels,
  }
}
