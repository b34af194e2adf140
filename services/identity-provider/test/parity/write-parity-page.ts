import { writeFileSync } from 'node:fs'
import { parityFile, parityPage } from './parity-page.ts'

writeFileSync(parityFile, parityPage())
