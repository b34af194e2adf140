import { readFileSync } from 'node:fs'
import { join } from 'node:path'

// Puts the names of the settings into the schema of the chart: `npm run generate`.

const root = join(import.meta.dirname, '../../..')
/** The settings that a generated page lists. */
export const settingsOf = (page: string) => {
  const text = readFileSync(join(root, `docs/reference/${page}.md`), 'utf8')
  return [...text.matchAll(/^\| `([A-Z][A-Z0-9_]+)` \|/gm)].map(([, name = '']) => name)
}

/** Credentials, which belong into a Secret, and what the chart sets from other values. */
const refused = {
  identityProvider: new Set([
    ...[
      'DATABASE_URL',
      'DATABASE_READ_URL',
      'ASSERTION_DATABASE_URL',
      'KEY_ENCRYPTION_KEY',
      'LAB_CLIENT_SECRET',
      'OTEL_EXPORTER_OTLP_HEADERS',
    ],
    ...['PORT', 'METRICS_PORT', 'DATA_DIR', 'AUTH_URL', 'REGISTRATIONS', 'NEW_ADMINISTRATOR'],
    ...['OTEL_EXPORTER_OTLP_ENDPOINT', 'OTEL_TRACES_SAMPLER_ARG'],
  ]),
  api: new Set([
    ...['OTEL_EXPORTER_OTLP_HEADERS', 'OTEL_EXPORTER_OTLP_ENDPOINT', 'OTEL_TRACES_SAMPLER_ARG'],
    ...['PORT', 'METRICS_PORT', 'BASE_URL', 'TENANT_ID', 'API_APPLICATION_ID'],
  ]),
}

/** Variables of every Node process. */
const nodeVariables =
  'HTTPS_PROXY HTTP_PROXY NO_PROXY NODE_EXTRA_CA_CERTS NODE_OPTIONS NODE_USE_ENV_PROXY TZ UV_THREADPOOL_SIZE'

export const file = 'deploy/chart/values.schema.json'

const schema = JSON.parse(readFileSync(join(root, file), 'utf8'))
for (const [service, all] of [
  ['identityProvider', settingsOf('identity-provider')],
  ['api', settingsOf('greeting-api')],
] as const) {
  const own = all.filter((name) => !refused[service].has(name))
  schema.$defs[`${service}Settings`] = {
    description: 'settings of the reference by name; secrets do not belong here',
    type: 'object',
    propertyNames: { enum: [...own, ...nodeVariables.split(' ')].toSorted() },
    additionalProperties: { type: ['string', 'number'] },
  }
}

export const text = JSON.stringify(schema)
