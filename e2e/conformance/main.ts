import { existsSync } from 'node:fs'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type Ended, run, startSystem } from '../test/greeting-process.ts'

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
  readonly errors?: readonly string[]
}

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
  const rows = [...authorizationRows(await system('off'), 'off')]
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

/** The metadata of the identity provider. With the setting off, it lacks what Entra ID lacks (entra E190). */
function authorizationRows(
  { identityProvider }: Awaited<ReturnType<typeof startSystem>>,
  setting: 'on' | 'off',
): Row[] {
  const issuer = `${identityProvider.url}/${identityProvider.tenantId}/v2.0`
  const scenario = 'authorization-server-metadata-endpoint'
  const lacking = 'Response body does not include valid "code_challenge_methods_supported" claim'
  return [
    {
      name: `authorization, ${scenario}, MCP_CLIENTS=${setting}`,
      args: ['authorization', '--url', issuer, '--scenario', scenario],
      errors: setting === 'off' ? [lacking] : [],
    },
  ]
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
    ...failed.filter((error) => !errors.includes(error)).map((error) => `failed: ${error}`),
    ...errors.filter((error) => !failed.includes(error)).map((error) => `did not fail: ${error}`),
    ...endFaults(ended, checks, errors),
  ]
  const passed = checks.filter(({ status }) => status === 'SUCCESS').length
  return { passed, count: passed + failed.length, differences }
}

function endFaults({ code, err }: Ended, checks: readonly Check[], errors: readonly string[]) {
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
