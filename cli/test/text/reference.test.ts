import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { greetingProgram } from '../../src/program.ts'
import { referencePage } from '../../src/text/reference.ts'
import { fakeServices } from '../fakes/services.ts'
import { RecordedTerminal } from '../fakes/terminal.ts'

describe('docs/generated/command.md', () => {
  it('matches the commands (npm run generate writes it)', async () => {
    const page = join(import.meta.dirname, '../../../docs/generated/command.md')
    const program = await greetingProgram(new RecordedTerminal().terminal(), fakeServices)
    assert.equal(readFileSync(page, 'utf8'), referencePage(program))
  })
})
