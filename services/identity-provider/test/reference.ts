import { code, serviceReference, table } from '../../../test/fixtures/service-reference.ts'
import { refusalTable } from '../src/refusals/refusal-table.ts'
import { settingSchemas } from '../src/startup/settings.ts'
import { createMetrics } from '../src/telemetry/metrics/metrics.ts'
import { sampleSources } from './telemetry/metrics/sample-sources.ts'

const { registry, watch } = createMetrics()
watch(sampleSources())

const refusals = table(
  ['AADSTS', 'status', '`error`', 'reason in log and audit', '`error_uri`', 'what to do'],
  Object.entries(refusalTable).map(([reason, row]) => [
    String(row.code),
    String(row.status),
    code(row.error),
    code(reason),
    row.hasErrorUri ? 'yes' : 'no',
    row.remedy,
  ]),
)

/** The page with the parts, from the root of the repository. */
export const file = 'docs/reference/identity-provider.md'

const process = await serviceReference({
  settings: settingSchemas,
  metrics: registry,
  end: `
A request for metrics does not read the store. The metrics \`greeting_storage_*\`, \`greeting_credentials_ending\`
and \`greeting_tenant_objects\` have the values of the last cleanup, every 5 minutes. No label contains the ID of a
client or a tenant, except the IDs in \`METRICS_CLIENT_IDS\` and \`METRICS_TENANT_IDS\`.
`,
})

/** The parts as the code makes them. */
export const parts = { refusals, process }
