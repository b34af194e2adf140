import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { referencePage, tablesFile } from './reference-tables.ts'

writeFileSync(join(import.meta.dirname, '../../../..', tablesFile), referencePage())
