/** The values of series over time, in the notation of promtool: one value per minute. */
export type Series = Readonly<Record<string, string>>

const identityProvider = 'job="greeting-identity-provider",instance="idp-1"'
const other = 'job="greeting-identity-provider",instance="idp-2"'
const api = 'job="greeting-api",instance="api-1"'

const routeOfApi = `${api},http_route="/api/v1/hi",http_response_status_code`
const apiAnswered = `http_server_request_duration_seconds_count{${routeOfApi}="200"}`
const apiFailed = `http_server_request_duration_seconds_count{${routeOfApi}="500"}`
const apiFast = `http_server_request_duration_seconds_bucket{${routeOfApi}="200",le="0.25"}`
const managed = `http_server_request_duration_seconds_count{${identityProvider},http_route="/v1.0/*",http_response_status_code="500"}`
const signIns = `greeting_storage_audit_records{${identityProvider},lane="signIns"}`
const certificate = `greeting_https_certificate_end_seconds{${identityProvider}}`
const backup = 'node_textfile_mtime_seconds{instance="db",file="/textfiles/greeting-backup.prom"}'

const minutes = 180
const always = (value: number) => `${value}x${minutes}`
const growing = (perMinute: number) => `0+${perMinute}x${minutes}`

const issued = `greeting_token_requests_total{${identityProvider},outcome="issued"}`
const failed = `greeting_token_requests_total{${identityProvider},outcome="failed"}`
const answered = `http_server_request_duration_seconds_count{${identityProvider},http_route="/:tenant/oauth2/v2.0/token"}`
const answeredFast = `http_server_request_duration_seconds_bucket{${identityProvider},http_route="/:tenant/oauth2/v2.0/token",le="0.25"}`
const admitted = `greeting_guard_decisions_total{${api},outcome="admitted",reason=""}`
const undecided = `greeting_guard_decisions_total{${api},outcome="refused",reason="keys_unavailable"}`
const invalid = `greeting_guard_decisions_total{${api},outcome="refused",reason="signature_invalid"}`

/** Both services without any fault, under load. */
export const healthy: Series = {
  [`up{${identityProvider}}`]: always(1),
  [`up{${api}}`]: always(1),
  [issued]: growing(6000),
  [failed]: growing(1),
  [answered]: growing(6000),
  [answeredFast]: growing(5990),
  [admitted]: growing(60_000),
  [undecided]: growing(1),
  [invalid]: growing(600),
  [apiAnswered]: growing(60_000),
  [apiFailed]: growing(1),
  [apiFast]: growing(59_000),
  [managed]: always(0),
  [signIns]: always(1_000_000),
  [`greeting_storage_audit_records_max{${identityProvider},lane="signIns"}`]: always(1_000_000),
  [certificate]: '5184000-60x180',
  [backup]: always(0),
  [`greeting_directory_age_seconds{${identityProvider}}`]: always(0.2),
  [`greeting_signing_keys_age_seconds{${identityProvider}}`]: always(0.2),
  [`greeting_directory_revision{${identityProvider}}`]: growing(2),
  [`greeting_directory_revision{${other}}`]: growing(2),
  [`greeting_store_operation_duration_seconds_count{${identityProvider},result="failed"}`]:
    always(0),
  [`greeting_store_reversals_total{${identityProvider}}`]: always(0),
  [`greeting_clock_offset_seconds{${identityProvider}}`]: always(0),
  [`greeting_signing_keys{${identityProvider},phase="announced"}`]: always(1),
  [`greeting_signing_key_phase_end_seconds{${identityProvider},phase="active"}`]: '7000000-60x180',
  [`greeting_credentials_ending{${identityProvider},kind="secret"}`]: always(0),
  [`greeting_audit_waiting_records{${identityProvider}}`]: always(20),
  [`greeting_audit_dropped_records_total{${identityProvider}}`]: always(0),
  [`greeting_storage_used_assertions{${identityProvider}}`]: always(1000),
  [`greeting_storage_used_assertions_max{${identityProvider}}`]: always(1_000_000),
  [`greeting_token_requests_throttled_total{${identityProvider}}`]: growing(6),
  [`greeting_guard_key_set_usable{${api},url="keys"}`]: always(1),
  [`greeting_guard_key_set_age_seconds{${api},url="keys"}`]: always(1800),
  [`nodejs_eventloop_lag_p99_seconds{${identityProvider}}`]: always(0.02),
}

/** A fault, as series that replace those of the healthy services, and the alert that fires. */
export type AlertCase = {
  readonly alert: string
  readonly severity: 'page' | 'ticket' | 'info'
  readonly series: Series
  /** Other alerts that the same fault fires. */
  readonly also?: readonly string[]
}

/** Healthy until the last hour. */
const lately = (before: number, perMinute: number) =>
  `0+${before}x119 ${before * 120}+${perMinute}x60`
const age = (name: string) => `greeting_${name}_age_seconds{${identityProvider}}`

export const alertCases: readonly AlertCase[] = [
  {
    alert: 'GreetingIssuanceBudgetBurnsFast',
    severity: 'page',
    series: { [failed]: lately(1, 600) },
    also: ['GreetingIssuanceBudgetBurnsSlowly'],
  },
  {
    alert: 'GreetingIssuanceBudgetBurnsSlowly',
    severity: 'ticket',
    series: { [failed]: growing(12) },
  },
  {
    alert: 'GreetingIssuanceSlow',
    severity: 'page',
    series: { [answeredFast]: lately(5990, 4000) },
  },
  {
    alert: 'GreetingDecisionBudgetBurnsFast',
    severity: 'page',
    series: { [undecided]: lately(1, 6000) },
    also: ['GreetingDecisionBudgetBurnsSlowly'],
  },
  {
    alert: 'GreetingDecisionBudgetBurnsSlowly',
    severity: 'ticket',
    series: { [undecided]: growing(120) },
  },
  {
    alert: 'GreetingIdentityProviderDown',
    severity: 'page',
    series: { [`up{${identityProvider}}`]: always(0) },
  },
  {
    alert: 'GreetingStoreNotFollowed',
    severity: 'page',
    series: { [age('signing_keys')]: always(5) },
  },
  {
    alert: 'GreetingStoreFails',
    severity: 'ticket',
    series: {
      [`greeting_store_operation_duration_seconds_count{${identityProvider},result="failed"}`]:
        growing(60),
    },
  },
  {
    alert: 'GreetingStoreWentBack',
    severity: 'page',
    series: { [`greeting_store_reversals_total{${identityProvider}}`]: `0x175 1x4` },
  },
  {
    alert: 'GreetingClockDiffers',
    severity: 'ticket',
    series: { [`greeting_clock_offset_seconds{${identityProvider}}`]: always(-61) },
  },
  {
    alert: 'GreetingReplicasDisagree',
    severity: 'ticket',
    series: {
      [`greeting_directory_revision{${identityProvider}}`]: always(12),
      [`greeting_directory_revision{${other}}`]: always(10),
    },
  },
  {
    alert: 'GreetingNoAnnouncedKey',
    severity: 'ticket',
    series: { [`greeting_signing_keys{${identityProvider},phase="announced"}`]: always(0) },
  },
  {
    alert: 'GreetingSigningKeyEnds',
    severity: 'page',
    series: {
      [`greeting_signing_key_phase_end_seconds{${identityProvider},phase="active"}`]: always(0),
    },
  },
  {
    alert: 'GreetingCredentialsEnd',
    severity: 'info',
    series: { [`greeting_credentials_ending{${identityProvider},kind="secret"}`]: always(2) },
  },
  {
    alert: 'GreetingAuditWaits',
    severity: 'ticket',
    series: { [`greeting_audit_waiting_records{${identityProvider}}`]: always(20_000) },
  },
  {
    alert: 'GreetingAuditDropsRecords',
    severity: 'page',
    series: { [`greeting_audit_dropped_records_total{${identityProvider}}`]: growing(5) },
  },
  {
    alert: 'GreetingAuditExportLoss',
    severity: 'page',
    series: {
      [`greeting_audit_export_dropped_total{sink="otlp",${identityProvider}}`]: growing(5),
    },
  },
  {
    alert: 'GreetingAssertionsNearLimit',
    severity: 'ticket',
    series: { [`greeting_storage_used_assertions{${identityProvider}}`]: always(950_000) },
  },
  {
    alert: 'GreetingCredentialGuessing',
    severity: 'ticket',
    series: { [`greeting_token_requests_throttled_total{${identityProvider}}`]: growing(600) },
  },
  { alert: 'GreetingApiDown', severity: 'page', series: { [`up{${api}}`]: always(0) } },
  {
    alert: 'GreetingKeysUnusable',
    severity: 'page',
    series: { [`greeting_guard_key_set_usable{${api},url="keys"}`]: always(0) },
  },
  {
    alert: 'GreetingKeySetOld',
    severity: 'ticket',
    series: { [`greeting_guard_key_set_age_seconds{${api},url="keys"}`]: always(10_000) },
  },
  {
    alert: 'GreetingManyInvalidTokens',
    severity: 'ticket',
    series: { [invalid]: growing(60_000) },
  },
  { alert: 'GreetingApiFails', severity: 'page', series: { [apiFailed]: growing(1000) } },
  { alert: 'GreetingApiSlow', severity: 'ticket', series: { [apiFast]: growing(40_000) } },
  { alert: 'GreetingManagementFails', severity: 'ticket', series: { [managed]: growing(1) } },
  { alert: 'GreetingAuditLogNearLimit', severity: 'info', series: { [signIns]: always(950_000) } },
  {
    alert: 'GreetingCertificateEnds',
    severity: 'ticket',
    series: { [certificate]: '864000-60x180' },
  },
  { alert: 'GreetingBackupOld', severity: 'ticket', series: { [backup]: always(-90_000) } },
  {
    alert: 'GreetingEventLoopBlocked',
    severity: 'ticket',
    series: { [`nodejs_eventloop_lag_p99_seconds{${identityProvider}}`]: always(0.8) },
  },
]

/** The labels of an alert that fires. */
export type Firing = {
  readonly alert: string
  /** The severity of an alert that only the chart has. */
  readonly severity?: string
  readonly namespace?: string
  readonly release?: string
}

/** A test of promtool: the alerts that fire at any time while the series have these values. */
export function alertTest(name: string, series: Series, firing: readonly Firing[]): object {
  const labelsOf = ({ alert, ...labels }: Firing) =>
    Object.entries({
      alertname: alert,
      severity: alertCases.find((one) => one.alert === alert)?.severity,
      ...labels,
    }).map(([label, value]) => `${label}="${value}"`)
  return {
    name,
    interval: '1m',
    input_series: Object.entries(series).map(([one, values]) => ({ series: one, values })),
    promql_expr_test: [
      {
        expr: `count by (alertname, severity, namespace, release) (count_over_time(ALERTS{alertstate="firing"}[${minutes}m]))`,
        eval_time: `${minutes - 1}m`,
        exp_samples: firing.map((one) => ({ labels: `{${labelsOf(one)}}`, value: 1 })),
      },
    ],
  }
}

/** The promtool tests of the rules: the healthy services fire no alert, and each fault fires its alerts. */
export const faultTests = (): readonly object[] => [
  alertTest('healthy', healthy, []),
  ...alertCases.map(({ alert, series, also = [] }) =>
    alertTest(
      alert,
      { ...healthy, ...series },
      [alert, ...also].map((one) => ({ alert: one })),
    ),
  ),
]
