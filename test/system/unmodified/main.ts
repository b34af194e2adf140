import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs, parseEnv } from 'node:util'
import { environment, type System, startSystem } from '../greeting-process.ts'
import { startMcpServer } from '../mcp-server.ts'
import { leadHosts, settingsFor } from './lead-hosts.ts'
import { type Outcome, Program } from './program.ts'

const usage = `Usage: npm run test:unmodified -- [--record] [program ...]

Runs programs that were not written here against a new system, and compares what they print.
Without a name, it runs all of them. --record writes the expected output anew.
GREETING_CACHE is the folder of the installed programs. Its default is in the system's temporary folder.`

const { values, positionals } = parseArgs({
  options: { record: { type: 'boolean', default: false }, help: { type: 'boolean' } },
  allowPositionals: true,
})

const programs = Program.allOf(import.meta.dirname)
const unknown = positionals.filter((wanted) => programs.every(({ name }) => name !== wanted))
if (values.help) console.log(usage)
else if (unknown.length > 0) {
  const names = programs.map(({ name }) => name).join(', ')
  console.error(`unknown program ${unknown.join(', ')}\nChoose from ${names}.`)
  process.exitCode = 2
} else {
  const chosen = programs.filter(
    ({ name }) => positionals.length === 0 || positionals.includes(name),
  )
  process.exitCode = (await runAll(chosen)) ? 0 : 1
}

/** Runs programs one after the other, each against a system of its own. */
async function runAll(chosen: readonly Program[]): Promise<boolean> {
  const rows: string[] = []
  let isGreen = true
  for (const program of chosen) {
    console.log(`${program.name} ...`)
    const startedMs = performance.now()
    const { outcome, detail } = await runOne(program)
    const seconds = ((performance.now() - startedMs) / 1000).toFixed(0)
    if (outcome === 'failed') console.error(`${program.name}: ${detail}`)
    isGreen &&= outcome !== 'failed'
    const reason = outcome === 'left out' ? `  ${detail}` : ''
    rows.push(`${program.name.padEnd(20)} ${outcome.padEnd(9)} ${seconds.padStart(5)} s${reason}`)
  }
  console.log(`\n${rows.join('\n')}`)
  return isGreen
}

async function runOne(program: Program): Promise<Outcome> {
  await using opened = new AsyncDisposableStack()
  const folder = await mkdtemp(join(tmpdir(), `greeting-${program.name}-`))
  opened.defer(() => rm(folder, { recursive: true, force: true }))
  const dataDir = join(folder, 'data')
  const { hosts } = program
  const start = async (settings: NodeJS.ProcessEnv, dir = dataDir) => {
    const args = ['--https-port', '0', ...program.startArguments]
    const system = await startSystem(dir, { cwd: folder, args, env: settings })
    opened.defer(async () => {
      await system.stop()
    })
    return system
  }
  const mcpServer = async (system: System) => {
    const server = await startMcpServer(system)
    opened.defer(server.stop)
    return server.url
  }
  const system = await start({
    ...(program.needsLab && { LAB: 'on' }),
    ...(program.needsMcp && { MCP_CLIENTS: 'on' }),
    ...(hosts.length > 0 && settingsFor(hosts)),
  })
  const run = await runOf(system, folder, dataDir)
  if (program.needsMcp) {
    const without = await start({}, join(folder, 'without'))
    const env = {
      MCP_URL: await mcpServer(system),
      WITHOUT_CLIENT_ENV: without.clientEnvFile,
      WITHOUT_MCP_URL: await mcpServer(without),
    }
    return await program.run({ ...run, env: { ...run.env, ...env } })
  }
  if (hosts.length === 0) return await program.run(run)
  const proxy = await leadHosts(hosts, system.identityProvider.httpsUrl, dataDir)
  opened.defer(proxy.stop)
  return await program.run({ ...run, env: { ...run.env, HOSTS_PROXY: proxy.url } })
}

async function runOf(system: System, folder: string, dataDir: string) {
  const settings = async (file: string) => parseEnv(await readFile(file, 'utf8'))
  const client = await settings(system.clientEnvFile)
  const administrator = await settings(join(dataDir, 'administrator.env'))
  const cache = process.env.GREETING_CACHE ?? join(tmpdir(), 'greeting-unmodified')
  await mkdir(cache, { recursive: true })
  return {
    env: {
      ...environment,
      ...client,
      ADMINISTRATOR_ID: administrator.CLIENT_ID,
      ADMINISTRATOR_SECRET: administrator.CLIENT_SECRET,
      CACHE: cache,
      // The variable NODE_EXTRA_CA_CERTS has the authority of the system. npm needs that of the machine.
      MACHINE_CA_CERTS: process.env.NODE_EXTRA_CA_CERTS,
      // A program keeps its settings and tokens in the home folder.
      HOME: folder,
      LANG: 'C.UTF-8',
    },
    cwd: folder,
    known: {
      authority: system.identityProvider.httpsUrl,
      tenant: system.identityProvider.tenantId,
      'greeting-api': system.api.applicationId,
      api: system.api.url,
      folder,
    },
    // The first build of OpenTofu took 43 minutes on a busy machine.
    maxDurationMs: 90 * 60_000,
    isRecorded: values.record,
  }
}
