import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const example = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../services/greeting-api/registrations.json'), 'utf8'),
)
const [{ displayName, ...api }] = example.apis

/** The path of the registrations of `compose.yaml`, from the root of the repository. */
export const file = 'deploy/compose/registrations.json'

/** The registrations of the example API, in a tenant with fixed IDs. */
export const text = `${JSON.stringify(
  {
    $schema: example.$schema,
    tenant: { id: '6f9f1f0e-6a0b-4a53-8f0c-2b1d3c4e5f60', displayName: 'Compose' },
    ...example,
    apis: [{ displayName, applicationId: '1d1c7a52-0b7e-4d0f-9a3e-7c5b9e2f4a10', ...api }],
  },
  null,
  2,
)}\n`
