import { resolve } from 'node:path'
import { type Command, InvalidArgumentError } from 'commander'
import { DataFolder, defaultDataDir } from '../system/data-folder.ts'
import { RunningSystem } from '../system/running-system.ts'
import type { Services } from '../system/services.ts'
import { startLines, startText } from '../system/start-text.ts'
import type { Terminal } from '../terminal.ts'
import { shellQuote } from '../text/shell-quote.ts'

type Options = {
  readonly dataDir: string
  readonly apiPort: number
  readonly apiHttpsPort?: number
  readonly identityPort: number
  readonly httpsPort?: number
  readonly issuerUrl?: string
  readonly managedIdentity?: number | true
  readonly workers?: string
  readonly lab?: true
  readonly maxLogMib: number
  readonly json?: true
}

function port(text: string): number {
  const number = Number(text)
  if (!/^\d{1,5}$/.test(text) || number > 65_535) {
    throw new InvalidArgumentError('The port must be a number from 0 to 65535')
  }
  return number
}

function originUrl(text: string): string {
  const url = URL.parse(text)
  if (url === null || !['http:', 'https:'].includes(url.protocol) || text !== url.origin) {
    throw new InvalidArgumentError('The URL must be an http or https origin without a path')
  }
  return text
}

function folder(text: string): string {
  // A variable that is not set would make the current folder the data folder.
  if (text === '') throw new InvalidArgumentError('The path must not be empty')
  return text
}

function workers(text: string): string {
  const number = Number(text)
  if (text !== 'auto' && !(/^\d{1,2}$/.test(text) && number >= 1 && number <= 64)) {
    throw new InvalidArgumentError('The count must be a number from 1 to 64, or auto')
  }
  return text
}

function maxLogMib(text: string): number {
  const number = Number(text)
  if (!/^\d{1,4}$/.test(text) || number < 1) {
    throw new InvalidArgumentError('The size must be a number from 1 to 9999')
  }
  return number
}

/** `greeting start`: runs the whole system until it is stopped. */
export function addStartCommand(program: Command, terminal: Terminal, services: Services): void {
  program
    .command('start')
    .description('run the identity provider and the greeting API until Ctrl-C')
    .option(
      '--data-dir <path>',
      'folder for keys, registrations, settings and logs',
      folder,
      defaultDataDir,
    )
    .option('--api-port <port>', 'port of the greeting API; 0 means any free port', port, 3000)
    .option(
      '--api-https-port <port>',
      'port of the greeting API over HTTPS (default: 3443, or any free port with --api-port 0)',
      port,
    )
    .option(
      '--identity-port <port>',
      'port of the identity provider; 0 means any free port',
      port,
      4000,
    )
    .option(
      '--https-port <port>',
      'port of the identity provider over HTTPS (default: 4443, or any free port with --identity-port 0)',
      port,
    )
    .option(
      '--issuer-url <url>',
      'issuer of v1.0 tokens without the tenant, such as https://localhost:4443 for verifiers that accept only HTTPS (default: the HTTP origin)',
      originUrl,
    )
    .option(
      '--managed-identity [port]',
      'serve managed identity endpoints on 127.0.0.1 for all programs of this machine (default port: any free one)',
      port,
    )
    .option(
      '--workers <count>',
      'worker processes of each service, 1 to 64, or auto for one per core (default: WORKERS, else 1)',
      workers,
    )
    .option('--lab', 'let tests break answers, make tokens and set the clock; never in production')
    .option(
      '--max-log-mib <n>',
      'maximum size of a log file in MiB; each service keeps two files',
      maxLogMib,
      10,
    )
    .option('--json', 'print one line of JSON when ready, or for a failure')
    .action(async ({ json, ...options }: Options) => {
      const dataDir = resolve(options.dataDir)
      const workingFolder = process.cwd()
      // With any free port for HTTP, the port for HTTPS is not fixed either.
      const {
        httpsPort = options.identityPort === 0 ? 0 : 4443,
        apiHttpsPort = options.apiPort === 0 ? 0 : 3443,
      } = options
      const { managedIdentity } = options
      const managedIdentityPort = managedIdentity === true ? 0 : managedIdentity
      const chosen = { ...options, httpsPort, apiHttpsPort, managedIdentityPort, dataDir }
      const system = new RunningSystem(services, chosen, terminal.environment)
      if (await new DataFolder(dataDir).isWritableByOthers())
        terminal.err(
          `Other users can write to the data folder, which contains secrets. Run: chmod go-w ${shellQuote(dataDir)}\n`,
        )
      const facts = await system.start(terminal.stop)
      const { command } = services
      const isDefaultFolder = dataDir === resolve(defaultDataDir)
      const lines = startLines(facts, command, workingFolder, isDefaultFolder)
      if (json) {
        const { identityProviderUrl, identityProviderHttpsUrl, apiUrl, apiHttpsUrl } = facts
        const { client, dataFolder } = facts
        terminal.out(
          `${JSON.stringify({
            identityProvider: {
              url: identityProviderUrl,
              httpsUrl: identityProviderHttpsUrl,
              tenantId: client.TENANT_ID,
            },
            api: { url: apiUrl, httpsUrl: apiHttpsUrl, applicationId: client.API_APPLICATION_ID },
            client: { applicationId: client.CLIENT_ID },
            managedIdentity: facts.managedIdentity,
            clientEnvFile: dataFolder.clientEnvFile,
            logFolder: dataFolder.logFolder,
            lines,
          })}\n`,
        )
      } else terminal.out(startText(facts, lines, command, workingFolder))
      await untilStopped(system, terminal)
    })
}

async function untilStopped(system: RunningSystem, { stop, err }: Terminal): Promise<void> {
  const asked = new Promise<undefined>((resolve) => {
    if (stop.aborted) resolve(undefined)
    stop.addEventListener('abort', () => resolve(undefined), { once: true })
  })
  const ended = await Promise.race([system.firstToEnd(), asked])
  await system.stop()
  if (ended !== undefined) {
    err(`The ${ended.service.title} stopped unexpectedly. The other services were stopped.\n`)
    throw ended.failure()
  }
  err('Stopped.\n')
}
