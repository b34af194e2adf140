import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { describe, it } from 'node:test'
import { freshFolder } from '../../test/fixtures/fresh-folder.ts'
import type { Json } from '../../test/fixtures/graph/graph-tenant.ts'
import { applied } from './commands/registrations/applied-graph.ts'
import { emptyFile, ended, RecordedTerminal } from './fakes/terminal.ts'

const bin = join(import.meta.dirname, '../bin/greeting.js')

describe('a mistake in the settings', () => {
  const complete = {
    AUTH_URL: 'http://127.0.0.1:4000',
    TENANT_ID: 't',
    CLIENT_ID: 'client',
    CLIENT_SECRET: 'wrong',
    SCOPE: 'api://x/.default',
  }
  const rows: readonly (readonly [settings: Record<string, string>, says: RegExp])[] = [
    [{ TENANT_ID: '' }, /TENANT_ID "" must be a text that is not empty/],
    [{ CLIENT_ID: ' ' }, /CLIENT_ID " " must be a text that is not empty/],
    [{ CLIENT_SECRET: '' }, /CLIENT_SECRET is missing \(or set CLIENT_SECRET_FILE/],
    [{ CLIENT_SECRET_FILE: 'x' }, /set only one of CLIENT_SECRET and CLIENT_SECRET_FILE/],
    [{ SCOPE: '' }, /API_APPLICATION_ID is missing \(or set SCOPE\)/],
    [{ AUTH_URL: 'localhost:4000' }, /AUTH_URL "localhost:4000" must be an http or https URL/],
    ...['/t', '/t/v2.0', '/t/oauth2/v2.0/token', '//', '?t', '#t'].map(
      (end) =>
        [
          { AUTH_URL: `http://127.0.0.1:4000${end}` },
          /AUTH_URL "http:\S+" must be an http or https URL without tenant.*or another path/,
        ] as const,
    ),
    [{ BASE_URL: 'ftp://a' }, /BASE_URL "ftp:\/\/a" must be an http or https URL/],
  ]
  for (const [changes, says] of rows)
    it(`is explained by the command and doctor: ${JSON.stringify(changes)}`, async () => {
      for (const command of ['hi', 'doctor']) {
        const said = await ended([command, '--settings', emptyFile], { ...complete, ...changes })
        assert.equal(said.code, 2)
        assert.match(said.text, says)
      }
    })
})

describe('a report on a terminal with 60 columns', () => {
  it('wraps its texts within their column, but not in the middle of a long word', async () => {
    const terminal = new RecordedTerminal()
    terminal.columns = 60
    await terminal.run(['doctor', '--settings', emptyFile], {})
    const [first = '', ...lines] = terminal.out.split('\n')
    assert.match(first, /^WRONG {2}settings {11}Invalid client settings:/)
    const long = [first, ...lines].filter((line) => line.length > 60)
    for (const line of long) assert.match(line, /^ {26}\S+$/)
    assert.ok(lines.length > 20)
  })
})

describe('a mistake in the arguments', () => {
  const oneMethod = /The method must be one of HTTP, such as GET or POST/
  const folder = freshFolder()
  const file = (name: string, text: string) => {
    const path = join(folder, name)
    writeFileSync(path, text)
    return path
  }
  const rows: readonly (readonly [args: readonly string[], says: RegExp])[] = [
    [[], /^Usage: greeting/],
    [['hallo'], /unknown command 'hallo'/],
    [['helo'], /unknown command 'helo'.*Did you mean one of hello, help\?/s],
    [['help', 'nothing'], /unknown command 'nothing'/],
    [['help', 'registrations', 'nothing'], /unknown command 'nothing'/],
    [['registrations'], /^Usage: greeting registrations/],
    [['registrations', 'aply', 'x.json'], /unknown command 'aply'.*Did you mean apply\?/s],
    [['hi', '--jsn'], /unknown option '--jsn'.*Did you mean --json\?/s],
    [['hi', 'Ada'], /too many arguments for 'hi'/],
    [['hello'], /required option '--name <name>' not specified/],
    [['hi', '--deadline', '0'], /a number of seconds, greater than 0 and at most 600/],
    [['hi', '--settings'], /'--settings <path>' argument missing/],
    [['hi', '--settings', 'nothing.env'], /There is no file nothing\.env/],
    [['hi', '--settings', folder], /Cannot read \S+: a folder has this name/],
    [
      ['hi', '--settings', file('empty.env', '')],
      /empty\.env has no line NAME=value; TENANT_ID is/,
    ],
    [
      ['hi', '--settings', file('broken.env', '\0 {"TENANT_ID": "x"}')],
      /broken\.env has no line NAME=value;.*in the environment or in \S+broken\.env,/s,
    ],
    [
      ['hi', '--settings', file('huge.env', `A=${'x'.repeat(1_100_000)}\n`)],
      /Cannot read \S+huge\.env: it has more than 1048576 bytes/,
    ],
    [['call', 'BOGUS', '/'], oneMethod],
    [['call', 'TRACE', '/'], oneMethod],
    [['call', '', '/'], oneMethod],
    [['call', 'GET'], /missing required argument 'path'/],
    [['call', 'GET', 'api/v1/hi'], /The path must start with a slash/],
    [['run', '--', 'hi'], /Use either --every or --cron/],
    [['run', '--every', '1s', '--', 'nothing'], /unknown command 'nothing'/],
    ...['-1', '65536', '99999', 'http', '1.5'].map(
      (port) =>
        [['start', '--api-port', port], /The port must be a number from 0 to 65535/] as const,
    ),
    ...['0', '-1', '10000', '1.5'].map(
      (size) =>
        [['start', '--max-log-mib', size], /The size must be a number from 1 to 9999/] as const,
    ),
    [['start', '--data-dir', ''], /The path must not be empty/],
  ]
  for (const [args, says] of rows)
    it(`is explained: greeting ${args.map((one) => basename(one)).join(' ')}`, async () => {
      const said = await ended(args, {})
      assert.equal(said.code, 2, said.text)
      assert.match(said.text, says)
    })
})

describe('a mistake about a client and an API', () => {
  const rows: readonly (readonly [client: string, code: number, says: RegExp])[] = [
    ['{id}', 0, /^"Greeting client" gets a token .* with CallHiApiRole/],
    [
      'Greting client',
      2,
      /^No application .* "Greting client"\.\nDid you mean:\n.*"Greeting client"/,
    ],
    ['Twin', 2, /^2 applications match "Twin":\n.*\n.*\nUse the application ID .* --client /],
  ]
  for (const [client, code, says] of rows)
    it(`is explained: registrations explain --client ${client}`, async (test) => {
      const { served } = await applied(test)
      const { tenant } = served
      for (const displayName of ['Twin', 'Twin'])
        await tenant.send('POST', '/applications', { displayName })
      const isClient = ({ displayName }: Json) => displayName === 'Greeting client'
      const { appId } = (await tenant.applications()).find(isClient) ?? {}
      const args = [
        'explain',
        '--api',
        'Greeting API',
        '--client',
        client.replace('{id}', `${appId}`),
      ]
      const said = await served.run(args)
      assert.equal(said.code, code, said.err)
      assert.match(said.out + said.err, says)
    })
})

describe('a mistake of the shell', () => {
  const folder = freshFolder()
  mkdirSync(join(folder, '.greeting'))
  mkdirSync(join(folder, 'a/b'), { recursive: true })
  for (const name of ['client.env', 'administrator.env'])
    writeFileSync(join(folder, '.greeting', name), '', { mode: 0o600 })
  const { version } = JSON.parse(readFileSync(join(import.meta.dirname, '../package.json'), 'utf8'))
  const above = (name: string) =>
    `Run the command in ${folder}, which has .greeting/${name}, or add --settings "${folder}/.greeting/${name}".\n`
  type ShellRow = readonly [
    what: string,
    line: string,
    code: number,
    ends: string,
    environment?: Record<string, string>,
  ]
  const rows: readonly ShellRow[] = [
    ['--version in place of help', 'greeting --version', 0, `greeting ${version}\n`],
    ['a subfolder', 'cd a/b && greeting hi', 2, above('client.env')],
    [
      'a subfolder, as administrator',
      'cd a/b && greeting keys list',
      2,
      above('administrator.env'),
    ],
    ['the data folder itself', 'cd .greeting && greeting portal', 2, above('administrator.env')],
    ['a pipe that closes early', 'greeting --help | head -n 1', 0, '[options] [command]\n'],
    [
      'an error stream that closes early',
      'greeting nothing 2>&1 >&3 | true; greeting nothing 2>&-',
      2,
      '',
    ],
    ['unwanted colors', 'greeting doctor | head -c 5', 0, 'WRONG', { NO_COLOR: '1' }],
    [
      'an unavailable proxy',
      'greeting hi --settings proxy.env --deadline 0.5',
      5,
      'Check HTTPS_PROXY, HTTP_PROXY and NO_PROXY.\n',
      { NODE_USE_ENV_PROXY: '1', HTTPS_PROXY: 'http://127.0.0.1:1' },
    ],
    ...(process.platform === 'linux'
      ? [
          [
            'a full disk',
            'greeting token --help > /dev/full',
            1,
            'The output cannot be written: ENOSPC: no space left on device, write\n',
          ] as const,
        ]
      : []),
  ]
  writeFileSync(
    join(folder, 'proxy.env'),
    'AUTH_URL=https://server.example\nTENANT_ID=t\nCLIENT_ID=c\nCLIENT_SECRET=s\nSCOPE=s\n',
  )
  for (const [what, line, code, ends, environment] of rows)
    it(`is explained or harmless: ${what}`, () => {
      const shell = `greeting() { '${process.execPath}' '${bin}' "$@"; }; cd '${folder}'; ${line}`
      const { PATH, NODE_COMPILE_CACHE } = process.env
      const env = { PATH, NODE_COMPILE_CACHE, ...environment }
      const { status, stdout, stderr } = spawnSync('sh', ['-c', shell], { encoding: 'utf8', env })
      assert.equal(status, code, stderr)
      assert.ok((stdout + stderr).endsWith(ends), stdout + stderr)
    })
})
