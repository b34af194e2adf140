import { existsSync } from 'node:fs'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs, parseEnv } from 'node:util'
import { type Ended, run, type System, startSystem } from '../greeting-process.ts'
import { startMcpServer } from '../mcp-server.ts'
import { startTokenProxy } from './token-proxy.ts'

const usage = `Usage: npm run test:conformance -- [word ...]

Runs the conformance runner of the Model Context Protocol. Words choose the runs whose names contain one of them.`

const runner = join(
  import.meta.dirname,
  'node_modules/@modelcontextprotocol/conformance/dist/index.js',
)

/** One run of the runner. */
type Row = {
  readonly name: string
  readonly args: readonly string[]
  /** The errors of the checks that must fail. All other checks must succeed. */
  readonly errors?: readonly RegExp[]
}

/** The methods that the runner requests of a server. The guard refuses a method without a row. */
const methodsOfRunner = [
  'logging/setLevel',
  'prompts/list',
  'resources/list',
  'resources/subscribe',
  'resources/unsubscribe',
  'subscriptions/listen',
  'unknown/method',
]

type Check = { readonly id: string; readonly status: string; readonly errorMessage?: string }

const { values, positionals } = parseArgs({
  options: { help: { type: 'boolean' } },
  allowPositionals: true,
})
if (values.help) console.log(usage)
else {
  const missing = await installRunner()
  if (missing === undefined) process.exitCode = (await runAll()) ? 0 : 1
  else console.log(`all runs were left out: ${missing}`)
}

/** Installs the pinned runner once, and returns the reason when it cannot. */
async function installRunner(): Promise<string | undefined> {
  if (existsSync(runner)) return
  const args = ['ci', '--ignore-scripts', '--prefix', import.meta.dirname]
  // npm needs the certificates of this machine.
  const { code, err } = await run('npm', args, { env: { ...process.env } })
  return code === 0 ? undefined : `npm ci: ${err.trim().split('\n').at(-1)}`
}

async function runAll(): Promise<boolean> {
  await using opened = new AsyncDisposableStack()
  const folder = await mkdtemp(join(tmpdir(), 'greeting-conformance-'))
  opened.defer(() => rm(folder, { recursive: true, force: true }))
  const system = async (setting: 'on' | 'off') => {
    const dataDir = join(folder, `system-${setting}`)
    const started = await startSystem(dataDir, { cwd: folder, env: { MCP_CLIENTS: setting } })
    opened.defer(async () => {
      await started.stop()
    })
    return started
  }
  const off = await system('off')
  const server = await startMcpServer(off, methodsOfRunner)
  opened.defer(server.stop)
  const proxy = await startTokenProxy(server.url, await tokenOf(off, server.scope))
  opened.defer(proxy.stop)
  const rows = [
    ...authorizationRows(off, 'off'),
    ...authorizationRows(await system('on'), 'on'),
    ...serverRows(proxy.url),
    ...clientRows(),
  ]
  const chosen = rows.filter(
    ({ name }) => positionals.length === 0 || positionals.some((word) => name.includes(word)),
  )
  let isGreen = true
  for (const row of chosen) {
    const { passed, count, differences } = await runRow(row, folder)
    isGreen &&= differences.length === 0
    const outcome = differences.length === 0 ? 'as expected' : 'DIFFERS'
    console.log(`${row.name.padEnd(56)} ${passed}/${count} checks, ${outcome}`)
    for (const difference of differences) console.log(`  ${difference}`)
  }
  return isGreen
}

/** The scenarios of machines, on the wire with a handshake and on the one without. */
function clientRows(): Row[] {
  const command = `"${process.execPath}" "${join(import.meta.dirname, '../mcp-client.ts')}"`
  const scenarios = [
    'client-credentials-jwt',
    'client-credentials-basic',
    'wif-jwt-bearer',
    'metadata-issuer-mismatch',
    'resource-mismatch',
  ]
  const wires = ['2025-11-25', '2026-07-28']
  return scenarios.flatMap((scenario) =>
    wires.map((wire) => {
      const version = ['--spec-version', wire, '--force']
      const args = ['client', '--command', command, '--scenario', `auth/${scenario}`, ...version]
      return { name: `client, ${scenario}, ${wire}`, args }
    }),
  )
}

/** The metadata of the identity provider. With the setting off, it lacks what Entra ID lacks (entra E190). */
function authorizationRows({ identityProvider }: System, setting: 'on' | 'off'): Row[] {
  const issuer = `${identityProvider.url}/${identityProvider.tenantId}/v2.0`
  const scenario = 'authorization-server-metadata-endpoint'
  const lacking = /does not include valid "code_challenge_methods_supported" claim$/
  return [
    {
      name: `authorization, ${scenario}, MCP_CLIENTS=${setting}`,
      args: ['authorization', '--url', issuer, '--scenario', scenario],
      errors: setting === 'off' ? [lacking] : [],
    },
  ]
}

/**
 * An MCP server behind the guard. The others need tools of the runner, which call its client back, or a server
 * that checks its host name.
 */
function serverRows(url: string): Row[] {
  const missing = (requirement: string) => RegExp(`^Not testable: .*${requirement}`)
  const scenarios: Readonly<Record<string, readonly [string, (readonly RegExp[])?][]>> = {
    '2025-11-25': [['server-initialize'], ['ping'], ['tools-list']],
    '2026-07-28': [
      [
        'server-stateless',
        [
          ...['test_missing_capability', 'test_streaming_elicitation', 'test_logging_tool'].map(
            missing,
          ),
          // The refusal of a tool without a row is an answer of OAuth, not of JSON-RPC.
          /^Expected error response id 401, got undefined$/,
        ],
      ],
      ['tools-list'],
      ['server-sse-multiple-streams'],
      ['http-header-validation'],
    ],
  }
  return Object.entries(scenarios).flatMap(([revision, names]) =>
    names.map(([scenario, errors = []]) => ({
      name: `server, ${scenario}, ${revision}`,
      args: ['server', '--url', url, '--scenario', scenario, '--spec-version', revision],
      errors,
    })),
  )
}

async function tokenOf({ identityProvider, clientEnvFile }: System, scope: string) {
  const { CLIENT_ID = '', CLIENT_SECRET = '' } = parseEnv(await readFile(clientEnvFile, 'utf8'))
  const response = await fetch(
    `${identityProvider.url}/${identityProvider.tenantId}/oauth2/v2.0/token`,
    {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'client_credentials',
        client_id: CLIENT_ID,
        client_secret: CLIENT_SECRET,
        scope,
      }),
    },
  )
  const { access_token } = (await response.json()) as { access_token: string }
  return access_token
}

/** Runs one row, and compares the checks that the runner wrote. */
async function runRow({ args, errors = [] }: Row, folder: string) {
  const out = await mkdtemp(join(folder, 'out-'))
  const ended = await run(process.execPath, [runner, ...args, '--output-dir', out])
  const checks = await checksIn(out)
  const failed = checks
    .filter(({ status }) => status === 'FAILURE')
    .map(({ id, errorMessage }) => errorMessage ?? id)
  const differences = [
    ...failed
      .filter((error) => !errors.some((one) => one.test(error)))
      .map((error) => `failed: ${error}`),
    ...errors
      .filter((error) => !failed.some((one) => error.test(one)))
      .map((error) => `did not fail: ${error}`),
    ...endFaults(ended, checks, errors),
  ]
  const passed = checks.filter(({ status }) => status === 'SUCCESS').length
  return { passed, count: passed + failed.length, differences }
}

function endFaults({ code, err }: Ended, checks: readonly Check[], errors: readonly RegExp[]) {
  const unwritten = `no check was written: ${err.trim().split('\n').at(-1)}`
  return [
    ...(checks.length === 0 ? [unwritten] : []),
    ...((code === 0) === (errors.length === 0) ? [] : [`exit code ${code}`]),
  ]
}

async function checksIn(folder: string): Promise<Check[]> {
  const names = await readdir(folder, { recursive: true })
  const files = names.filter((name) => name.endsWith('checks.json'))
  const texts = await Promise.all(files.map((name) => readFile(join(folder, name), 'utf8')))
  return texts.flatMap((text) => JSON.parse(text) as Check[])
}
