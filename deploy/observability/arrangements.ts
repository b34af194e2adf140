import { alertTest, type Firing, healthy, type Series } from './alert-cases.ts'

/** A release of the chart. */
export type Release = {
  readonly namespace: string
  readonly release: string
  /** Arguments of `--set`, on top of the minimal example. */
  readonly set?: readonly string[]
}

/** Releases of the chart with their series, and the alerts that fire there. */
export type Arrangement = {
  readonly name: string
  readonly releases: readonly Release[]
  readonly series: Series
  readonly firing?: readonly Firing[]
}

const withApi = [
  'api.enabled=true',
  'api.baseUrl=https://api.example.com',
  'api.tenantId=6f9f1f0e-6a0b-4a53-8f0c-2b1d3c4e5f60',
  'api.applicationId=1d1c7a52-0b7e-4d0f-9a3e-7c5b9e2f4a10',
]
const production: Release = { namespace: 'production', release: 'greeting', set: withApi }
const staging: Release = { namespace: 'staging', release: 'greeting', set: withApi }
const other: Release = { namespace: 'staging', release: 'other', set: withApi }

const ofJob = (job: string): Series =>
  Object.fromEntries(Object.entries(healthy).filter(([name]) => name.includes(`job="${job}"`)))
const provider = ofJob('greeting-identity-provider')
const api = ofJob('greeting-api')

/** The series as Prometheus reads them from a release. */
const seriesOf = ({ namespace, release }: Release, series: Series = healthy): Series =>
  Object.fromEntries(
    Object.entries(series).map(([name, values]) => [
      name.replace('{', `{namespace="${namespace}",release="${release}",`),
      values,
    ]),
  )

const labels = 'job="greeting-identity-provider",instance'
/** The series of a replica that starts after an hour, and ends an hour later. */
const scaled = (
  [
    ['up', '1x60'],
    ['greeting_directory_revision', '120+2x60'],
    ['greeting_directory_age_seconds', '0.2x60'],
    ['greeting_signing_keys_age_seconds', '0.2x60'],
    ['greeting_signing_keys', '1x60', ',phase="announced"'],
    ['greeting_token_requests_total', '0+6000x60', ',outcome="issued"'],
  ] as const
).map(([name, values, more = '']) => [`${name}{${labels}="idp-3"${more}}`, `_x59 ${values} stale`])
/** All series of the replicas while each is away for ten minutes: the counters begin again. */
const restarted: Series = {
  ...Object.fromEntries(
    Object.entries(provider).map(([name, values]) => [
      name,
      values.replace(/^(.+)x\d+$/, '$1x59 stale _x9 $1x110'),
    ]),
  ),
  [`up{${labels}="idp-1"}`]: '1x59 0x9 1x110',
  [`up{${labels}="idp-2"}`]: '1x89 0x9 1x80',
  [`greeting_directory_revision{${labels}="idp-1"}`]: '0+2x59 stale _x9 140+2x110',
  [`greeting_directory_revision{${labels}="idp-2"}`]: '0+2x89 stale _x9 200+2x80',
}

/** The times of a CronJob, as kube-state-metrics shows them. */
const cronJob = (
  namespace: string,
  release: string,
  times: Readonly<Record<string, number>>,
): Series =>
  Object.fromEntries(
    Object.entries({ created: -1e6, ...times }).map(([name, time]) => [
      `kube_cronjob_${name}{namespace="${namespace}",cronjob="${release}-backup"}`,
      `${time}x180`,
    ]),
  )
export const arrangements: readonly Arrangement[] = [
  {
    name: 'the identity provider alone',
    releases: [{ namespace: 'identity', release: 'greeting' }],
    series: seriesOf({ namespace: 'identity', release: 'greeting' }, provider),
  },
  {
    name: 'the API alone',
    releases: [{ ...production, set: [...withApi, 'identityProvider.enabled=false'] }],
    series: seriesOf(production, api),
  },
  {
    name: 'two releases that have made a different number of changes',
    releases: [production, staging, other],
    series: {
      ...seriesOf(production),
      ...seriesOf(staging, {
        ...healthy,
        [`greeting_directory_revision{${labels}="idp-1"}`]: '7x180',
        [`greeting_directory_revision{${labels}="idp-2"}`]: '7x180',
      }),
      ...seriesOf(other),
    },
  },
  {
    name: 'a release that is down, beside others that work',
    releases: [production, staging, other],
    series: {
      ...seriesOf(production, { ...healthy, [`up{${labels}="idp-1"}`]: '0x180' }),
      ...seriesOf(staging),
    },
    firing: [
      { alert: 'GreetingIdentityProviderDown', namespace: 'production', release: 'greeting' },
      { alert: 'GreetingIdentityProviderDown', namespace: 'staging', release: 'other' },
      { alert: 'GreetingApiDown', namespace: 'staging', release: 'other' },
    ],
  },
  {
    name: 'few requests, of which each fourth has an invalid token',
    releases: [production],
    series: seriesOf(production, {
      ...healthy,
      'greeting_guard_decisions_total{job="greeting-api",instance="api-1",outcome="admitted",reason=""}':
        '0+3x180',
      'greeting_guard_decisions_total{job="greeting-api",instance="api-1",outcome="refused",reason="signature_invalid"}':
        '0+1x180',
      'greeting_guard_decisions_total{job="greeting-api",instance="api-1",outcome="refused",reason="keys_unavailable"}':
        '0x180',
    }),
  },
  {
    name: 'a failed job of a release, and the retried job of another one',
    releases: [production, staging],
    series: {
      ...seriesOf(production),
      ...seriesOf(staging),
      'kube_job_failed{namespace="production",job_name="greeting-bootstrap",condition="true"}':
        '1x180',
      'kube_job_failed{namespace="staging",job_name="greeting-bootstrap",condition="true"}':
        '0x180',
      'kube_job_status_failed{namespace="staging",job_name="greeting-bootstrap"}': '1x180',
    },
    firing: [
      {
        alert: 'GreetingBootstrapFailed',
        severity: 'ticket',
        namespace: 'production',
        release: 'greeting',
      },
    ],
  },
  {
    name: 'a backup that fails, one that never began, and a weekly one',
    releases: [production, staging, other].map((one) => ({
      ...one,
      set: [...withApi, 'identityProvider.backup.enabled=true'],
    })),
    series: {
      ...seriesOf(production),
      ...seriesOf(staging),
      ...seriesOf(other),
      ...cronJob('production', 'greeting', {
        status_last_schedule_time: 600,
        status_last_successful_time: 300,
        next_schedule_time: 1e6,
      }),
      ...cronJob('staging', 'greeting', { next_schedule_time: 0 }),
      ...cronJob('staging', 'other-greeting', {
        status_last_schedule_time: -5e5,
        status_last_successful_time: -4e5,
        next_schedule_time: 1e6,
      }),
    },
    firing: ['production', 'staging'].map((namespace) => ({
      alert: 'GreetingBackupOld',
      namespace,
      release: 'greeting',
    })),
  },
  {
    name: 'autoscaling',
    releases: [production],
    series: { ...seriesOf(production), ...seriesOf(production, Object.fromEntries(scaled)) },
  },
  {
    name: 'maintenance of one replica after another',
    releases: [production],
    series: { ...seriesOf(production), ...seriesOf(production, restarted) },
  },
]

/** The test of an arrangement, for the rules of its releases. */
export const arrangementTest = ({ name, series, firing = [] }: Arrangement): object =>
  alertTest(name, series, firing)
