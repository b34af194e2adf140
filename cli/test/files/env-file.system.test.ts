import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { freshFolder } from '../../../test/fixtures/fresh-folder.ts'
import { isChangeableByOthers, readEnvFile, writeEnvFile } from '../../src/files/env-file.ts'

const values = [
  'plain',
  'two words; touch ran',
  '$(touch ran) `touch ran` $HOME',
  '~/folder:~',
  `it's`,
  'say "no"',
  'back\\slash',
  '#not a comment',
  'two\nlines',
  '',
]

describe('a settings file', () => {
  for (const value of values)
    it(`means the same to a shell and to the command: ${JSON.stringify(value)}`, async () => {
      const folder = freshFolder()
      const file = join(folder, 'x.env')
      await writeEnvFile(file, { NOTE: value })
      assert.deepEqual({ ...(await readEnvFile(file)) }, { NOTE: value })
      const shell = ['-c', '. ./x.env; printf %s "$NOTE"']
      assert.equal(execFileSync('sh', shell, { cwd: folder, encoding: 'utf8' }), value)
      assert.deepEqual(readdirSync(folder), ['x.env'])
    })

  it('is not written if a value cannot be quoted', async () => {
    const file = join(freshFolder(), 'x.env')
    for (const value of [`it's $HOME`, 'a\rb', 'a\0b', 'a\u001bb', 'a\u0085b'])
      await assert.rejects(writeEnvFile(file, { NOTE: value }), /^Error: NOTE cannot be written/)
  })

  it('is read from a pipe only if the user names it', async () => {
    const pipe = join(freshFolder(), 'x.env')
    execFileSync('mkfifo', [pipe])
    await assert.rejects(readEnvFile(pipe), /it is not a regular file/)
    const writing = writeFile(pipe, 'NOTE=a')
    assert.deepEqual({ ...(await readEnvFile(pipe, true)) }, { NOTE: 'a' })
    await writing
  })

  it('is refused above 1 MiB, even from an endless device', async () => {
    const file = join(freshFolder(), 'x.env')
    writeFileSync(file, 'a'.repeat(1_048_577))
    for (const path of [file, '/dev/zero'])
      await assert.rejects(readEnvFile(path, true), /it has more than 1048576 bytes/)
  })

  it('never writes through a link that another user created', async () => {
    const folder = freshFolder()
    const [file, stolen] = [join(folder, 'x.env'), join(folder, 'stolen')]
    writeFileSync(stolen, '')
    symlinkSync(stolen, `${file}.${process.pid}.new`)
    await writeEnvFile(file, { CLIENT_SECRET: 'canary' })
    assert.equal(readFileSync(stolen, 'utf8'), '')
    assert.equal(statSync(file).mode & 0o777, 0o600)
  })
})

describe('a file or folder', () => {
  const own = process.getuid?.() ?? 0
  const rows: readonly (readonly [what: string, mode: number, uid: number, isOf: boolean])[] = [
    ['of this user', 0o600, own, false],
    ['that is a root-owned folder with restricted deletion', 0o041777, 0, false],
    ["that is another user's folder with restricted deletion", 0o041777, own + 1, true],
    ['that is a folder writable by everyone', 0o040777, own, true],
    ['that is a file with the sticky bit, writable by everyone', 0o101666, own, true],
    ['of this user, readable by everyone', 0o644, own, false],
    ['of root', 0o644, 0, false],
    ['of another user', 0o600, own + 1, true],
    ['writable by its group', 0o620, own, true],
    ['writable by everyone', 0o602, own, true],
  ]
  for (const [what, mode, uid, isOf] of rows)
    it(`${what} is ${isOf ? '' : 'not '}changeable by others`, () =>
      assert.equal(isChangeableByOthers({ mode, uid }), isOf))
})
