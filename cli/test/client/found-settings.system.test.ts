import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  lchownSync,
  mkdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { freshFolder } from '../../../test/fixtures/fresh-folder.ts'
import { emptyFile, ended } from '../fakes/terminal.ts'

const bin = join(import.meta.dirname, '../../bin/greeting.js')
// Reserved for other protocols, so fetch connects to no server: the command got that far.
const local = 'http://127.0.0.1:1'
const sent = /fetch refuses this port/
const given = { TENANT_ID: 't', CLIENT_ID: 'c', SCOPE: 'api://x/.default', CLIENT_SECRET: 's3cret' }
const inFile = { ...given, AUTH_URL: local }
const { CLIENT_SECRET, ...withoutSecret } = inFile
const file = '.greeting/client.env'
const isRoot = process.getuid?.() === 0
const stranger = 12_345

type FoundRow = readonly [
  what: string,
  settings: Record<string, string>,
  says: RegExp,
  more?: {
    readonly environment?: Record<string, string>
    readonly args?: readonly string[]
    /** Changes the folder, after its files are written. */
    readonly change?: (folder: string) => unknown
    readonly needsRoot?: true
  },
]

/** Runs the command in a folder with this settings file: as a process, or here. */
async function foundIn(
  settings: Record<string, string>,
  more: FoundRow[3] = {},
  asProcess = false,
) {
  const folder = freshFolder()
  mkdirSync(join(folder, '.greeting'), { mode: 0o700 })
  for (const name of ['secret', '.greeting/secret'])
    writeFileSync(join(folder, name), 's3cret-of-a-job', { mode: 0o600 })
  symlinkSync('../secret', join(folder, '.greeting/linked'))
  const lines = Object.entries(settings).map((pair) => `${pair.join('=')}\n`)
  writeFileSync(join(folder, file), lines.join(''), { mode: 0o600 })
  more.change?.(folder)
  const run = asProcess ? ranAsProcess : ranHere
  const { code, text } = await run(folder, more.args ?? ['hi'], more.environment ?? {})
  assert.doesNotMatch(text, /s3cret/)
  return { status: code, said: text, folder }
}

type Environment = Record<string, string>

function ranAsProcess(cwd: string, args: readonly string[], environment: Environment) {
  const env = { PATH: process.env.PATH, ...environment }
  const ran = spawnSync(process.execPath, [bin, ...args], { cwd, env, encoding: 'utf8' })
  return { code: ran.status, text: ran.stdout + ran.stderr }
}

async function ranHere(folder: string, args: readonly string[], environment: Environment) {
  const before = process.cwd()
  process.chdir(folder)
  return ended(args, environment).finally(() => process.chdir(before))
}

describe('the settings file of a working folder (CL21)', () => {
  const outside = (name: string) => new RegExp(`the file of ${name} is not in .greeting`)
  const mustSet = (name: string) =>
    new RegExp(`environment has the credential.*must set ${name} too`)
  const changed = (part: string) =>
    new RegExp(`is not used, because other users can change ${part} `)
  const secret = { CLIENT_SECRET: 's3cret' }
  const named = ['hi', '--settings', file]
  const mode = (path: string, bits: number) => (folder: string) =>
    chmodSync(join(folder, path), bits)
  const owner = (path: string, uid: number) => (folder: string) =>
    lchownSync(join(folder, path), uid, uid)
  const moved = (path: string) => (folder: string) => {
    renameSync(join(folder, path), join(folder, 'elsewhere'))
    symlinkSync(join(folder, 'elsewhere'), join(folder, path))
  }
  const all =
    (...changes: ((folder: string) => unknown)[]) =>
    (folder: string) =>
      changes.forEach((change) => void change(folder))
  const rows: readonly FoundRow[] = [
    ['and folder of this user', inFile, sent],
    ['readable by others', inFile, sent, { change: mode(file, 0o644) }],
    ['in a folder that others can read', inFile, sent, { change: mode('.greeting', 0o755) }],
    ['that is a link of this user', inFile, sent, { change: moved(file) }],
    ['in a link of this user', inFile, sent, { change: moved('.greeting') }],
    ...[0o666, 0o620, 0o602].map(
      (bits): FoundRow => [
        `with the mode ${bits.toString(8)}`,
        inFile,
        changed(file),
        { change: mode(file, bits) },
      ],
    ),
    ...[0o777, 0o770, 0o702].map(
      (bits): FoundRow => [
        `in a folder with the mode ${bits.toString(8)}`,
        inFile,
        changed('.greeting'),
        { change: mode('.greeting', bits) },
      ],
    ),
    [
      'that is a link to a file that others can change',
      inFile,
      changed('.*elsewhere'),
      { change: all(mode(file, 0o666), moved(file)) },
    ],
    [
      'in a link to a folder that others can change',
      inFile,
      changed('.*elsewhere'),
      { change: all(mode('.greeting', 0o777), moved('.greeting')) },
    ],
    ['of another user', inFile, changed(file), { change: owner(file, stranger), needsRoot: true }],
    [
      'in a folder of another user',
      inFile,
      changed('.greeting'),
      { change: owner('.greeting', stranger), needsRoot: true },
    ],
    [
      'that is a link of another user',
      inFile,
      changed(file),
      { change: all(moved(file), owner(file, stranger)), needsRoot: true },
    ],
    [
      'in a link of another user',
      inFile,
      changed('.greeting'),
      { change: all(moved('.greeting'), owner('.greeting', stranger)), needsRoot: true },
    ],
    ['with the mode 666, and is named', inFile, sent, { change: mode(file, 0o666), args: named }],
    [
      'with the mode 666 beside a complete environment',
      { BASE_URL: 'https://a.invalid', HTTPS_AUTH_URL: local },
      sent,
      { change: mode(file, 0o666), environment: { ...inFile, BASE_URL: local } },
    ],
    ...(['AUTH_URL', 'BASE_URL'] as const).flatMap((name): FoundRow[] => [
      [
        `with a local ${name} for the secret of the environment`,
        { ...withoutSecret, [name]: local },
        mustSet(name),
        { environment: secret },
      ],
      [
        `with ${name} for the secret of the environment`,
        { ...withoutSecret, [name]: 'https://a.invalid' },
        mustSet(name),
        { environment: secret },
      ],
      [
        `with ${name} for a secret file of the environment`,
        { ...withoutSecret, [name]: local },
        mustSet(name),
        { environment: { CLIENT_SECRET_FILE: 'secret' } },
      ],
    ]),
    [
      'with BASE_URL for the secret of the environment, which "token" does not call',
      { ...given, BASE_URL: local },
      sent,
      { environment: { ...secret, AUTH_URL: local }, args: ['token'] },
    ],
    [
      'with servers for the secret of the environment, and is named',
      withoutSecret,
      sent,
      { environment: secret, args: named },
    ],
    ...(
      [
        ['CLIENT_SECRET_FILE', 'secret'],
        ['CLIENT_SECRET_FILE', '.greeting/linked'],
        ['CLIENT_SECRET_FILE', '.greeting/../secret'],
        ['CLIENT_ASSERTION_FILE', '/etc/passwd'],
        ['CLIENT_CERTIFICATE_FILE', 'secret'],
        ['CLIENT_CERTIFICATE_FILE', '.greeting'],
      ] as const
    ).map(
      ([name, path]): FoundRow => [
        `with ${name}=${path}`,
        { ...withoutSecret, [name]: path },
        outside(name),
      ],
    ),
    [
      'with a certificate in its folder and a key outside',
      { ...withoutSecret, CLIENT_CERTIFICATE_FILE: '.greeting/secret', CLIENT_KEY_FILE: 'secret' },
      outside('CLIENT_KEY_FILE'),
    ],
    [
      'with a secret file outside, for the server of the environment',
      { ...given, CLIENT_SECRET: '', CLIENT_SECRET_FILE: 'secret' },
      outside('CLIENT_SECRET_FILE'),
      { environment: { AUTH_URL: local } },
    ],
    [
      'with a secret file outside, and is named',
      { ...withoutSecret, CLIENT_SECRET_FILE: 'secret' },
      sent,
      { args: named },
    ],
    [
      'with a secret in its folder',
      { ...withoutSecret, CLIENT_SECRET_FILE: '.greeting/secret' },
      sent,
    ],
    ...['tokens.json', '/tmp/greeting-none/tokens.json', '.greeting/linked', '..'].map(
      (path): FoundRow => [
        `with TOKEN_CACHE_FILE=${path}`,
        { ...inFile, TOKEN_CACHE_FILE: path },
        outside('TOKEN_CACHE_FILE'),
      ],
    ),
    [
      'with a token cache in a link to another folder',
      { ...inFile, TOKEN_CACHE_FILE: '.greeting/out/new/tokens.json' },
      outside('TOKEN_CACHE_FILE'),
      { change: (folder) => symlinkSync(folder, join(folder, '.greeting/out')) },
    ],
    ...['off', '.greeting/cache/tokens.json'].map(
      (path): FoundRow => [
        `with TOKEN_CACHE_FILE=${path}`,
        { ...inFile, TOKEN_CACHE_FILE: path },
        sent,
      ],
    ),
    [
      'with TOKEN_CACHE_FILE, which the environment sets',
      { ...inFile, TOKEN_CACHE_FILE: 'tokens.json' },
      sent,
      { environment: { TOKEN_CACHE_FILE: 'tokens.json' } },
    ],
  ]
  // Only root can give a file to another user.
  for (const [what, settings, says, more = {}] of rows.filter(
    (row) => isRoot || !row[3]?.needsRoot,
  ))
    it(`is ${says === sent ? 'used' : 'not used'}: ${what}`, async () => {
      const { status, said } = await foundIn(settings, more)
      assert.match(said, says)
      assert.equal(status, says === sent ? 5 : 2)
    })

  for (const [what, mode, says, code] of [
    ['used', 0o600, sent, 5],
    ['not used when other users can change it', 0o666, changed(file), 2],
  ] as const)
    it(`is ${what} by the command as a process`, async () => {
      const change = (folder: string) => chmodSync(join(folder, file), mode)
      const { status, said } = await foundIn(inFile, { change }, true)
      assert.match(said, says)
      assert.equal(status, code)
    })

  it('causes a warning if other users can read its secret', async () => {
    const { said } = await foundIn(inFile, { change: mode(file, 0o644) })
    assert.match(said, /^Warning: other users can read .greeting\/client.env.*chmod 600 .greeting/)
    const json = await foundIn(inFile, { change: mode(file, 0o644), args: ['hi', '--json'] })
    assert.equal(JSON.parse(json.said).error.code, 'authority_unreachable')
    const { said: nothing } = await foundIn(inFile)
    assert.doesNotMatch(nothing, /Warning/)
  })

  it('is never replaced by a token cache (CL20)', async () => {
    const settings = { ...inFile, TOKEN_CACHE_FILE: '.greeting/secret' }
    const { folder } = await foundIn(settings)
    assert.equal(readFileSync(join(folder, '.greeting/secret'), 'utf8'), 's3cret-of-a-job')
  })
})

describe('a settings file on the command line', () => {
  const other = { TENANT_ID: 'other', CLIENT_ID: 'other', SCOPE: 'other', AUTH_URL: 'http://other' }
  for (const [what, settings, environment, says] of [
    ['all settings', inFile, { ...other, CLIENT_SECRET_FILE: 'other' }, sent],
    [
      'a credential',
      { CLIENT_SECRET: 's3cret' },
      { ...withoutSecret, CLIENT_SECRET_FILE: 'other' },
      sent,
    ],
    ['no credential', withoutSecret, { CLIENT_SECRET: 's3cret' }, sent],
  ] as const)
    it(`overrides an environment with ${what}`, async () => {
      const args = ['token', '--settings', file]
      const { said } = await foundIn(settings, { environment, args })
      assert.match(said, says)
    })
})

describe('a settings file from Windows', () => {
  const mark = '\ufeff'
  const lines = Object.entries(inFile).map((pair) => `${pair.join('=')}\r\n`)
  const text = `AUTH_URL=${local}\r\n${lines.join('')}`
  const rows: readonly (readonly [string, string | Buffer, RegExp])[] = [
    ['a byte order mark', mark + text, sent],
    ['UTF-16', Buffer.from(mark + text, 'utf16le'), /client.env is UTF-16, not UTF-8/],
    ['UTF-16 in big endian', Buffer.from(mark + text, 'utf16le').swap16(), /is UTF-16, not UTF-8/],
    ['UTF-16 without a byte order mark', Buffer.from(text, 'utf16le'), /is UTF-16, not UTF-8/],
    ['another encoding', Buffer.from(`X=gr\u00fc\u00df\n${text}`, 'latin1'), /is not UTF-8/],
    [
      'a byte order mark in an appended part',
      `TENANT_ID=t\n${mark}AUTH_URL=${local}\n`,
      /AUTH_URL has a byte order mark \(U\+FEFF\) before its name/,
    ],
  ]
  for (const [what, content, says] of rows)
    for (const args of [['token'], ['hi'], ['doctor'], ['token', '--settings', file]])
      it(`is ${says === sent ? 'read' : 'refused'} with ${what} by greeting ${args.join(' ')}`, async () => {
        const change = (folder: string) => writeFileSync(join(folder, file), content)
        const { said } = await foundIn({}, { change, args })
        assert.match(said, says)
      })

  it('is reported if a variable name contains the byte order mark', async () => {
    const { AUTH_URL, ...others } = inFile
    const said = await ended(['token', '--settings', emptyFile], {
      ...others,
      [`${mark}AUTH_URL`]: AUTH_URL,
    })
    assert.equal(said.code, 2)
    assert.match(said.text, /AUTH_URL has a byte order mark \(U\+FEFF\) before its name/)
  })
})
