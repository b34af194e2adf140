import { writeFileSync } from 'node:fs'
import { parityFile, parityPage } from './parity-page.ts'
import { replay } from './replay.ts'

writeFileSync(parityFile, parityPage(await replay()))
