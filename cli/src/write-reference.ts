import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { greetingProgram } from './program.ts'
import { services } from './system/services.ts'
import { visibleTerminal } from './terminal.ts'
import { referencePage } from './text/reference.ts'

const silent = {
  out: () => undefined,
  err: () => undefined,
  paint: (_colour: string, text: string) => text,
  isInteractive: false,
  isOutTerminal: false,
  environment: {},
  stop: new AbortController().signal,
}
const page = join(import.meta.dirname, '../../docs/generated/command.md')
writeFileSync(page, referencePage(await greetingProgram(visibleTerminal(silent), services)))
