import { writeFile } from 'node:fs/promises'
import { pagePath, referencePage } from './reference-page.ts'

// `npm run reference -w services/identity-provider` writes the tables of docs/generated/lab.md.
await writeFile(pagePath, (await referencePage()).must)
