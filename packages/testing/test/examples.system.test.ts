import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { promisify } from 'node:util'
import { docstringExamples } from '../../../test/fixtures/docstring-examples.ts'

const packageFolder = join(import.meta.dirname, '..')

const preamble = `
  import { after as afterAll, afterEach, before as beforeAll, describe, it } from 'node:test'
  import { assertRefusesForgeries, hookEntra, startEntra, tryForgeries } from '@greeting/testing'
  import { useEntra } from '@greeting/testing/node-test'
  const genuine = 'genuine'
  const forgeries = []
  const fetchYourApi = async (token) => new Response(null, { status: token === genuine ? 200 : 401 })
`
describe('the examples of the kit', () => {
  it('run as node:test tests', async (t) => {
    // Those of vitest and jest are the same text, and the hooks have the same names.
    const examples = [...new Set(docstringExamples(join(packageFolder, 'src')))]
    assert.ok(examples.length >= 5, `${examples.length}`)
    const folder = mkdtempSync(join(packageFolder, 'test/example-'))
    t.after(() => rmSync(folder, { recursive: true }))
    const registrations = readFileSync(
      join(packageFolder, '../../services/greeting-api/registrations.json'),
      'utf8',
    )
    const renamed = registrations.replaceAll('Greeting client', 'Payroll job')
    writeFileSync(join(folder, 'registrations.json'), renamed)
    const suites = examples.map((code, index) =>
      /\bit\(|hookEntra/.test(code)
        ? `describe('${index}', () => {\n${code}\nit('runs', () => {})\n})`
        : `it('${index}', async () => {\n${code}})`,
    )
    writeFileSync(join(folder, 'example.ts'), [preamble, ...suites].join('\n'))
    const args = ['--test', '--test-isolation=none', '--test-reporter=tap', 'example.ts']
    // With it, the child would report to this runner.
    const { NODE_TEST_CONTEXT: _, ...env } = process.env
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: folder, env })
    assert.match(stdout, /^# fail 0$/m)
    assert.ok(Number(/^# pass (\d+)$/m.exec(stdout)?.[1]) >= examples.length, stdout)
  })
})
