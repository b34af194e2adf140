import { writeFile } from 'node:fs/promises'
import { pagePath, referencePage } from './reference-page.ts'

// `npm run generate` writes the tables of docs/generated/lab.md.
await writeFile(pagePath, (await referencePage()).must)
