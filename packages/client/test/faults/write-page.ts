import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { faultsPage } from './faults-page.ts'

writeFileSync(
  join(import.meta.dirname, '../../../../docs/evidence/faults-client.md'),
  await faultsPage(),
)
