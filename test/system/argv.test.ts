import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { parseEnv } from 'node:util'
import { environment, root, run } from './greeting-process.ts'
import { sharedSystem } from './shared-system.ts'

const shown = execFileSync(
  'git',
  ['ls-files', '--cached', '--others', '--exclude-standard', '*.md', '*/src/**', '*/bin/**'],
  { cwd: root, encoding: 'utf8' },
)
  .split('\n')
  .filter((file) => file !== '')

// Arguments of a program. Arguments of `printf` stay in the shell. `name@-` contains no value.
const inArguments: readonly (readonly [string, RegExp])[] = [
  [
    'a secret in a form',
    /(?:-d|-F|--data(?:-[a-z]+)?|--form)[ =]*\\?["']?client_(?:secret|assertion)=/,
  ],
  ['a token in a header', /(?:-H|--header)[ =]*\\?["']?authorization:/i],
  ['a user with a password', /\bcurl\b.*\s(?:-u|--user)[ =]/],
]

describe('CL15: no argument contains a secret or a token', () => {
  it('in any command in a document or a source file', () => {
    const found = shown.flatMap((file) =>
      readFileSync(join(root, file), 'utf8')
        .split('\n')
        .flatMap((line, index) =>
          inArguments
            .filter(([, pattern]) => pattern.test(line))
            .map(([what]) => `${file}:${index + 1} shows ${what}`),
        ),
    )
    assert.deepEqual(found, [])
  })

  const caught = [
    'curl -d client_secret=x',
    'curl --data-urlencode "client_secret=$CLIENT_SECRET"',
    'curl -H "authorization: Bearer $token"',
    'curl -sS -u "$ID:$SECRET"',
  ]
  for (const line of caught)
    it(`in a command such as ${line}, which this test detects`, () => {
      assert.ok(inArguments.some(([, pattern]) => pattern.test(line)))
    })

  it('in curl, when sh runs the lines that greeting start prints', async () => {
    const system = await sharedSystem()
    const { folder } = system
    // A replacement of curl: it records its arguments, and then executes curl.
    const log = join(folder, 'arguments')
    const real = execFileSync('sh', ['-c', 'command -v curl'], { encoding: 'utf8' }).trim()
    const stand = `#!/bin/sh\nprintf '%s\\n' "$@" >> '${log}'\nexec ${real} "$@"\n`
    await writeFile(join(folder, 'curl'), stand, { mode: 0o755 })
    const env = { PATH: `${folder}:${environment.PATH}` }
    const { token, hi, hello } = system.lines
    const sh = async (line: string) => (await run('sh', ['-c', line], { cwd: folder, env })).out
    const { access_token } = JSON.parse(await sh(token))
    assert.equal(await sh(hi), 'Hi')
    assert.equal(await sh(hello), 'Hello, Ada')
    const { CLIENT_SECRET = '' } = parseEnv(await readFile(system.clientEnvFile, 'utf8'))
    const kept = (await run('greeting', ['token', '--settings', system.clientEnvFile])).out.trim()
    const noted = await readFile(log, 'utf8')
    assert.match(noted, /client_secret@-\n/)
    for (const secret of [CLIENT_SECRET, access_token, kept]) assert.ok(!noted.includes(secret))
  })
})
